#pragma once
// Requests and replies as the journal keeps them: JSON of our own, whatever protocol carries them, so that a line of
// work is taken up again from its last one. Pure.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kernel/domain/records.h"
#include "models/message.h"

namespace agents {

/// A request with what else its line of work has to remember.
struct Remembered {
  models::Request request;
  int heard = 0;             ///< How much of what people said is in it.
  std::int64_t context = 0;  ///< Player::context
};

/// A blob's bytes by its SHA-256; throws where there is none.
using FetchBlob = std::function<std::string(const std::string& sha256)>;

/// A request of the journal that another one goes on from: its blob, and how many of its messages are in the other.
struct Earlier {
  kernel::BlobRef blob;
  std::size_t messages = 0;
};

/// Pictures are not in it, but the SHA-256 of their bytes: they are blobs of a frozen workspace.
std::string to_journal(const Remembered&);
/// Only what is new since then: a conversation of n calls takes n messages' room, not n². All but the messages is the
/// earlier one's.
std::string to_journal(const Remembered&, const Earlier&);
std::string to_journal(const models::Reply&);
/// `fetch`: for the requests that it goes on from, and for pictures.
kernel::Result<Remembered> request_from_journal(std::string_view text, const FetchBlob&);
kernel::Result<models::Reply> reply_from_journal(std::string_view text);

}  // namespace agents

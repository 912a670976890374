#pragma once
// Requests and replies as the journal keeps them: JSON of our own, whatever protocol carries them, so that a line of
// work is taken up again from its last one. Pure.

#include <functional>
#include <string>
#include <string_view>

#include "kernel/result.h"
#include "models/message.h"

namespace agents {

/// A request with what else its line of work has to remember.
struct Remembered {
  models::Request request;
  int heard = 0;  ///< How much of what people said is in it.
};

/// A blob's bytes by its SHA-256; throws where there is none.
using FetchBlob = std::function<std::string(const std::string& sha256)>;

/// Pictures are not in it, but the SHA-256 of their bytes: they are blobs of a frozen workspace.
std::string to_journal(const Remembered&);
std::string to_journal(const models::Reply&);
kernel::Result<Remembered> request_from_journal(std::string_view text, const FetchBlob&);
kernel::Result<models::Reply> reply_from_journal(std::string_view text);

}  // namespace agents

#pragma once
// Requests and replies as the journal stores them: JSON that does not depend on the protocol, so that a conversation
// continues from its last request. Pure.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kernel/domain/records.h"
#include "models/message.h"

namespace agents {

/// A request with the other state of its conversation.
struct Remembered {
  models::Request request;
  int heard = 0;             ///< The number of people's messages that it includes.
  std::int64_t context = 0;  ///< AssignedModel::context
  bool summing = false;      ///< The last message asks for a summary, with which the conversation begins anew.
  int used = 0;              ///< Tool calls before it began anew.
  std::vector<models::ToolCall> written{};  ///< Those of them that changed the branch.
};

/// Returns a blob's bytes by its SHA-256; throws if there is none.
using FetchBlob = std::function<std::string(const std::string& sha256)>;

/// A stored request that another one continues: its blob, and how many of its messages the other one has.
struct Earlier {
  kernel::BlobRef blob;
  std::size_t messages = 0;
};

/// Contains the SHA-256 of pictures, not their bytes: they are blobs of a frozen workspace.
std::string to_journal(const Remembered&);
/// Contains only new messages, so a conversation of n calls takes the space of n messages, not n². All other members
/// are those of the earlier request.
std::string to_journal(const Remembered&, const Earlier&);
std::string to_journal(const models::Reply&);
/// `fetch` reads the requests that it continues, and pictures.
kernel::Result<Remembered> request_from_journal(std::string_view text, const FetchBlob&);
kernel::Result<models::Reply> reply_from_journal(std::string_view text);

}  // namespace agents

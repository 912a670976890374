#pragma once
// Whether a conversation fits into the context of its model. Pure: the same conversation gives the same answer, also in
// a replay.

#include <cstdint>
#include <optional>

#include "models/message.h"

namespace agents {

/// The tokens of a request by its bytes, at three per token: text in Latin letters, code and JSON have three to five.
std::int64_t estimated_tokens(const models::Request&);

/// The most tokens of a reply that there is room for, at most the request's own. None if the conversation must begin
/// anew first: less than a quarter of the context is left. `context`: 0 if it is not known.
std::optional<int> room_for_reply(const models::Request&, std::int64_t context);

/// Drops exchanges at the end until the request and a summary fit into the context. Keeps the first message.
void drop_to_fit(models::Request&, std::int64_t context);

/// A request as its server counted it.
struct Counted {
  std::int64_t read = 0;       ///< Tokens of the prompt by the server; 0 if it was not counted.
  std::int64_t estimated = 0;  ///< By `estimated_tokens`, without the tools, which some servers do not count.
  std::int64_t opaque = 0;     ///< Tokens of what is sent back beside text and calls, which servers may leave out.
};
Counted as_counted(const models::Request&, std::int64_t read);
/// Whether the server read less of the prompt than its text can be, because it cuts what does not fit. `before`: the
/// request that this one continues.
bool is_cut(const Counted& now, const Counted& before);

}  // namespace agents

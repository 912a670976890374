#pragma once
// Makes conversations fit for services: within the model's context, and with names and ids that every server takes
// back. Pure: the same conversation gives the same result, also in a replay.

#include <cstdint>

#include "models/message.h"

namespace agents {

/// Gives each call a short and unique id.
void name_calls_apart(models::Reply&);

/// A call that any server accepts when it is sent back: some refuse arguments that are no object, and unusual names.
models::ToolCall as_servers_take_it(models::ToolCall);

/// Leaves out the oldest answers of tools until the request and its longest reply fit into this many tokens, by a
/// cautious count. Keeps the last message. Returns true if it left out anything; 0 tokens means no limit.
bool make_room(models::Request&, std::int64_t tokens);

}  // namespace agents

#pragma once
// Keeps a conversation within its model's context. Pure: the same conversation gives the same result, also in a replay.

#include <cstdint>

#include "models/message.h"

namespace agents {

/// Leaves out the oldest answers of tools until the request and its longest reply fit into this many tokens, by a
/// cautious count. Keeps the last message. Returns true if it left out anything; 0 tokens means no limit.
bool make_room(models::Request&, std::int64_t tokens);

}  // namespace agents

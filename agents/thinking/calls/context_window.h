#pragma once
// Keeps a conversation within what its model takes. Pure, and the same for the same conversation: a replay has it, too.

#include <cstdint>

#include "models/message.h"

namespace agents {

/// Leaves out what tools said longest ago, until the request and its longest reply fit into so many tokens, counted on
/// the safe side; never what was said last. Whether it left out anything; 0 tokens: there is no limit.
bool make_room(models::Request&, std::int64_t tokens);

}  // namespace agents

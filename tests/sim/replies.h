#pragma once
// Replies of models as the three protocols stream them, made up by chance and then cut, delayed and damaged, and read
// by the program's own readers. Demands that a whole reply is read as it was sent, and that a part of it never gives
// another reply.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/message.h"
#include "tests/sim/core.h"

namespace sim {

/// A reply before it is streamed.
struct Sent {
  std::string text;
  std::vector<models::ToolCall> calls;
  std::int64_t input = 0, output = 0;  ///< Tokens.
};

/// A text, and up to `most_calls` calls of tools.
Sent draw_reply(Dice&, int most_calls);

/// Streams the reply in one of the protocols, and breaks the stream off if `cut`; returns what was read of it, if it
/// was read as a whole. Throws Violation if that is not what was sent.
std::optional<models::Reply> streamed(Dice&, const Sent&, bool cut);

/// Reads the replies of one conversation in each protocol, also damaged ones. Returns how many streams were read.
/// Throws Violation.
int read_replies(std::uint64_t seed);

}  // namespace sim

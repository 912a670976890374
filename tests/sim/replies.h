#pragma once
// Replies of models as the three protocols stream them, made up from a seed and then cut, delayed and damaged. Demands
// that a whole reply is read as it was sent, and that a part of it never gives another reply.

#include <cstdint>

namespace sim {

/// Reads the replies of one conversation in each protocol. Returns how many streams were read. Throws Violation.
int read_replies(std::uint64_t seed);

}  // namespace sim

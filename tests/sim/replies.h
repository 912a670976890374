#pragma once
// Replies of models as the three protocols stream them, made up from a seed and then cut, delayed and damaged. Demands
// that a whole reply is read as it was sent, and that no other reply comes of a part of it.

#include <cstdint>

namespace sim {

/// One conversation's worth of replies in each protocol. Returns how many streams were read. Throws Violation.
int read_replies(std::uint64_t seed);

}  // namespace sim

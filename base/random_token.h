#pragma once
// Tokens that cannot be guessed, from the system's random numbers.

#include <cstddef>
#include <string>

namespace kernel {

/// `bytes` random bytes, at most 256, in hex. Throws std::runtime_error if the system has no random numbers.
std::string random_token(std::size_t bytes);

}  // namespace kernel

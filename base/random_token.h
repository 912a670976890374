#pragma once
// Words that nobody can guess, from the system's random numbers.

#include <cstddef>
#include <string>

namespace kernel {

/// `bytes` random bytes, at most 256, in hex. Throws std::runtime_error where the system has none.
std::string random_token(std::size_t bytes);

}  // namespace kernel

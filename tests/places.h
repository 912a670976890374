#pragma once
// Where the source tree and the build lie. Only places.cc knows, so that the tests' objects are the same in every clone
// and a compiler cache serves them all.

#include <string>

namespace tests {

/// Absolute, without a final slash.
std::string source_dir();
std::string build_dir();

}  // namespace tests

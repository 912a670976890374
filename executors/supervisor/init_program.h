#pragma once
// The init of a sandbox as the bytes of a program (executors/init), which the supervisor carries along.

#include <string_view>

namespace supervisor {

/// Empty on processors that it is not made for: there the supervisor itself serves as one.
std::string_view init_program();

}  // namespace supervisor

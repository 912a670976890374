#pragma once
// The bytes of the sandbox's init program (executors/init), which is embedded in the supervisor.

#include <string_view>

namespace supervisor {

/// Empty on processors without a build of it; there the supervisor itself serves as init.
std::string_view init_program();

}  // namespace supervisor

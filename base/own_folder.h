#pragma once
// Where this process's program lies. Reads only /proc.

#include <string>

namespace kernel {

/// The folder of this process's program, links resolved; empty without /proc. In a bundle (cmake/dist.py) the process
/// runs the bundle's loader, which lies in the same folder as the program.
std::string own_folder();

}  // namespace kernel

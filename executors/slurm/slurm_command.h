#pragma once
// Runs one of Slurm's own programs, in an environment without variables of a surrounding job. Blocks the calling thread
// for as long as the controller lets it wait; any thread may use it.

#include <cstddef>
#include <string>
#include <vector>

#include "programs/run_program.h"

namespace executors {

/// Absolute path of the program; empty if it is not on PATH.
std::string find_slurm(const std::string& program);

/// The program's answer; `why` says why there is none. `in`: its standard input.
programs::ProgramOutput ask_slurm(const std::string& program, const std::vector<std::string>& words,
                                  const std::string& in = "", std::size_t most_output = 1 << 20);

}  // namespace executors

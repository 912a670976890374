#pragma once
// Finds the programs that a command starts, without running it.

#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace executors {

/// The words of a command that are programs, found without running it: in order of appearance, each once. Placeholders
/// are unchanged; the shell's builtins are left out. Reads the shell's simple cases: lists, pipes, assignments,
/// wrappers such as `env` and `timeout`, and `sh -c`. Gives nothing for the rest: words that expand, functions, and
/// everything after `case` or a here-document. Pure.
std::vector<std::string> program_words(const kernel::CommandTemplate&);

}  // namespace executors

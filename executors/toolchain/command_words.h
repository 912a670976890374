#pragma once
// Finds the words of a command that are programs, without running it. Pure. Reads the shell's simple cases: lists,
// pipes, assignments, wrappers such as `env` and `timeout`, and `sh -c`. Gives nothing for the rest: words that expand,
// functions, and everything after `case` or a here-document.

#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace executors {

/// In order of appearance, each once. Placeholders are unchanged; the shell's builtins are left out.
std::vector<std::string> program_words(const kernel::CommandTemplate&);

}  // namespace executors

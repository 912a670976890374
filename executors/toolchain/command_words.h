#pragma once
// Which words of a command are programs, as far as that can be told without running it. Pure. Reads the shell's simple
// cases — lists, pipes, assignments, wrappers such as `env` and `timeout`, `sh -c` — and stays silent about the rest:
// words that expand, functions, what stands behind `case` or a here-document.

#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace executors {

/// In order of appearance, each once; placeholders are left as they are. Builtins of the shell are left out.
std::vector<std::string> program_words(const kernel::CommandTemplate&);

}  // namespace executors

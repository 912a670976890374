#pragma once
// Scripts for shells that complete verbs, options, listed values and the ids of studies. Pure: made from the
// description of the commands. Where nothing of this fits, the shell completes names of files.

#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/commands/verb_tree.h"

namespace cli {

/// bash, zsh, fish.
std::vector<std::string> completion_shells();

/// Precondition: `shell` is one of these.
std::string completion_script(const Verb& root, std::string_view shell);

}  // namespace cli

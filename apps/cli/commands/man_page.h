#pragma once
// The manual page in roff, with the macros of man(7): all verbs on one page. Pure: made from the description of the
// commands and from texts/manual.txt.

#include <string>

#include "apps/cli/commands/verb_tree.h"

namespace cli {

std::string man_page(const Verb& root, const std::string& version);

}  // namespace cli

#pragma once
// The whole command line: every verb in one parser, with the examples of its help. Reads the words that a person typed,
// and names what is close to a misspelt word. Knows nothing of what verbs do.

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/terminal/command_context.h"
#include "base/result.h"

namespace cli {

/// What a command line asks for if nothing is to be done: the text to print. A refusal names the word that is wrong.
using Asked = kernel::Result<std::optional<std::string>>;

/// Sets in `context` what the words say, and its action. Does not run it.
Asked read_command_line(std::vector<std::string> words, Context& context);

/// An example of a verb's help: a command as a shell reads it, and what it does.
struct Example {
  std::string verb;  ///< "ara find"
  std::string command, what;
};

/// Those of all verbs, in the order of texts/examples.txt.
std::vector<Example> examples();

}  // namespace cli

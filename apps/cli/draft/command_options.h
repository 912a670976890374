#pragma once
// The options on a program's command line and the position of each value. Uses the program's source (if it is Python)
// or the common spellings `--name value`, `--name=value`, `-n value` and `name=value`. Reads files below one folder;
// runs nothing.

#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/draft/script_options.h"
#include "apps/cli/draft/word_places.h"

namespace cli {

struct CommandOption {
  std::string spelled;  ///< "--lr"; "lr" for name=value.
  std::string name;     ///< "lr": usable as a factor's name.
  std::string value;
  std::size_t begin = 0, end = 0;    ///< The value's position in the command's bytes.
  std::vector<std::string> choices;  ///< As the source declares them; empty if free or unknown.
};

struct CommandView {
  std::string text;
  ShellWords shell;
  std::size_t script_word = 0;  ///< Index of the word with the program's file, module or name.
  std::string script;           ///< The program's file, relative to the folder; empty if not found there.
  std::string source;           ///< Its bytes, if it is Python.
  std::vector<ScriptOption> declared;
  std::vector<CommandOption> options;  ///< Those with one value, in order; of a repeated option the first.
};

/// `folder`: the absolute path in which the command would run.
CommandView view_command(const std::string& command, const std::string& folder);

}  // namespace cli

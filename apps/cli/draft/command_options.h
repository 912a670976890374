#pragma once
// The options on a program's command line and the place of each value, as the program's own source (where it is Python)
// or the common spellings `--name value`, `--name=value`, `-n value` and `name=value` tell. Reads files below one
// folder, and runs Python to read the source.

#include <string>
#include <vector>

#include "apps/cli/draft/script_reading.h"
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
  std::size_t script_word = 0;         ///< Index among the words of the program's file, module or name.
  std::string script;                  ///< The program's file, relative to the folder; empty: none found there.
  ScriptReading reading;               ///< Of its source, if it is Python.
  std::vector<CommandOption> options;  ///< With one value each, in order; of a repeated one the first.
};

/// `folder`: the absolute path in which the command would run.
CommandView view_command(const std::string& command, const std::string& folder);

}  // namespace cli

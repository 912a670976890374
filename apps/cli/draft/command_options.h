#pragma once
// The options on a program's command line and the place of each value, as the program's own source (where it is Python)
// or the common spellings `--name value`, `--name=value`, `-n value` and `name=value` tell. Python's own parser reads
// the source without running it (apps/cli/programs/read_script.py), also for how the program seems to report results.
// Reads files below one folder; all of it is a guess for a person to confirm.

#include <string>
#include <vector>

#include "apps/cli/draft/word_places.h"
#include "kernel/domain/study_spec.h"

namespace cli {

struct ScriptOption {
  std::vector<std::string> names;  ///< As spelled: "--learning-rate", "-l"; "model.lr" for an override `model.lr=0.1`.
  bool takes_value = true;         ///< False for switches.
  bool takes_several = false;      ///< nargs
  bool number = false;             ///< type int or float, or a numeric default.
  std::string default_value;       ///< Empty: none, or no literal.
  std::vector<std::string> choices;  ///< Empty: free.
};

struct ScriptMetric {
  std::string name;  ///< Usable as a metric's name.
  kernel::MetricSource source;
  kernel::Goal goal = kernel::Goal::minimize;
  std::string unit;     ///< Empty: not known.
  int line = 0;         ///< Of the source, where it was seen.
  bool logged = false;  ///< By a logger, whose default is stderr.
};

struct ScriptReading {
  std::vector<ScriptOption> options;
  std::vector<ScriptMetric> metrics;  ///< The likeliest primary first: held-out before training, at most four.
  std::string unread;                 ///< Why the source was not read, if it was not.
};

/// The first bytes of a file, 4 MB at most; empty if it cannot be read.
std::string read_source(const std::string& path);
/// Runs the first python3 in $PATH and waits for it.
ScriptReading read_script(const std::string& source);

/// A factor's name for the option: the long spelling without dashes, other signs as `_`.
std::string factor_name(const ScriptOption&);
/// Whether it is given as `name=value`.
bool is_override(const ScriptOption&);

/// The option of this spelling, with `-` and `_` taken for the same; null when there is none.
const ScriptOption* find_option(const std::vector<ScriptOption>&, std::string_view spelled);

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

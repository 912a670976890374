#pragma once
// What a Python program says of its own options, and how it seems to report its results, read from its source by
// Python's own parser without running it (apps/cli/programs/read_script.py). A guess for a person to confirm.

#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace cli {

struct ScriptOption {
  std::vector<std::string> names;    ///< As spelled: "--learning-rate", "-l".
  bool takes_value = true;           ///< False for switches.
  bool takes_several = false;        ///< nargs
  bool number = false;               ///< type int or float, or a numeric default.
  std::string default_value;         ///< Empty: none, or no literal.
  std::vector<std::string> choices;  ///< Empty: free.
};

struct ScriptMetric {
  std::string name;  ///< Usable as a metric's name.
  kernel::MetricSource source;
  kernel::Goal goal = kernel::Goal::minimize;
  std::string unit;  ///< Empty: not known.
  int line = 0;      ///< Of the source, where it was seen.
};

struct ScriptReading {
  std::vector<ScriptOption> options;
  std::vector<ScriptMetric> metrics;  ///< The likeliest primary first: held-out before training, at most four.
  std::string unread;                 ///< Why the source was not read, if it was not.
};

/// Runs the first python3 in $PATH and waits for it.
ScriptReading read_script(const std::string& source);

/// The option of this spelling; null when there is none.
const ScriptOption* find_option(const std::vector<ScriptOption>&, std::string_view spelled);

}  // namespace cli

#pragma once
// The options that a Python program declares, read from its source without running it: calls of argparse's
// `add_argument` and click's `option` with literal arguments. Other declarations are left out.

#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct ScriptOption {
  std::vector<std::string> names;    ///< As written: "--learning-rate", "-l".
  bool takes_value = true;           ///< False for switches.
  bool takes_several = false;        ///< nargs
  bool number = false;               ///< type int or float, or a numeric default.
  std::string default_value;         ///< Empty if there is none, or if it is no literal.
  std::vector<std::string> choices;  ///< Empty if any value is allowed.
};

std::vector<ScriptOption> script_options(std::string_view source);

/// The option with this spelling; null if there is none.
const ScriptOption* find_option(const std::vector<ScriptOption>&, std::string_view spelled);

}  // namespace cli

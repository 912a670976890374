#pragma once
// What a Python program says of its own options, read from its source without running it: calls of argparse's
// `add_argument` and click's `option`, with literal arguments. What it does not understand it leaves out.

#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct ScriptOption {
  std::vector<std::string> names;    ///< As spelled: "--learning-rate", "-l".
  bool takes_value = true;           ///< False for switches.
  bool takes_several = false;        ///< nargs
  bool number = false;               ///< type int or float, or a numeric default.
  std::string default_value;         ///< Empty: none, or no literal.
  std::vector<std::string> choices;  ///< Empty: free.
};

std::vector<ScriptOption> script_options(std::string_view source);

/// The option of this spelling; null when there is none.
const ScriptOption* find_option(const std::vector<ScriptOption>&, std::string_view spelled);

}  // namespace cli

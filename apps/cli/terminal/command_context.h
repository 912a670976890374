#pragma once
// What all verbs share: the global options, output and exit codes. Human text goes to stdout, diagnostics to stderr as
// `what: why: what to do`; `--json` prints one JSON document on stdout.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/terminal/terminal_text.h"
#include "base/result.h"

namespace executors {
class Backend;
}

namespace cli {

/// The exit codes of the command line.
enum Exit : int { ok = 0, wanting = 1, bad_input = 2, environment = 3, budget = 4, interrupted = 130 };

struct Context {
  std::unique_ptr<executors::Backend> backend;  ///< Where jobs run. Set before `action` is called.
  std::string executor;        ///< The name of the backend: --executor, else the configuration's, else the default.
  std::string asked_executor;  ///< The same without the default: empty if nobody chose.
  std::string home_option;     ///< --home, as given.
  std::string config_option;   ///< --config, as given.
  bool json = false;
  bool places_jobs = false;         ///< What the verb does depends on where jobs run; it needs the configuration.
  std::vector<std::string> behind;  ///< Of `exec`: the words after `--`.
  std::function<int()> action;      ///< Set by the chosen verb.

  /// --home, else $ETUDE_HOME, else $XDG_DATA_HOME/etude, else ~/.local/share/etude; absolute. Not created.
  std::string home() const;
};

/// Prints `what: why: what to do` on stderr and returns the code, or `environment` if the machine is at fault.
int fail(Exit code, const kernel::Problem&);
int fail(Exit code, std::string_view what, std::string_view why, std::string_view todo = "");

/// One JSON document, indented for people, with a newline; invalid UTF-8 is replaced.
void print_json(const nlohmann::json&);
/// One JSON document on one line (streams).
void print_json_line(const nlohmann::json&);

/// With `.` and `..` resolved by name.
std::string absolute_path(const std::string& path);

}  // namespace cli

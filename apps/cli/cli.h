#pragma once
// What every verb of the command line shares: the global options, how it speaks, and how it ends. Human text goes to
// stdout, diagnostics to stderr as `what: why: what to do`; `--json` prints one JSON document on stdout.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cli {

/// The contract's exit codes.
enum Exit : int { ok = 0, wanting = 1, bad_input = 2, environment = 3, budget = 4, interrupted = 130 };

struct Context {
  std::string home_option;    ///< --home, as given.
  std::string config_option;  ///< --config, as given.
  bool json = false;
  std::vector<std::string> behind;  ///< Of `exec`: what stands behind `--`, word by word.
  std::function<int()> action;      ///< Set by the chosen verb.

  /// --home, else $ETUDE_HOME, else $XDG_DATA_HOME/etude, else ~/.local/share/etude; absolute. Not created.
  std::string home() const;
};

/// Prints `what: why: what to do` on stderr and gives the code back, or `environment` where the machine is at fault.
int fail(Exit code, const kernel::Problem&);
int fail(Exit code, std::string_view what, std::string_view why, std::string_view todo = "");

/// One JSON document, indented for people, with a newline; invalid UTF-8 is replaced.
void print_json(const nlohmann::json&);
/// One JSON document on one line (streams).
void print_json_line(const nlohmann::json&);

/// `text` with control characters shown as \xNN, so that a job cannot drive the terminal.
std::string printable(std::string_view text);

// One function per verb, each in verb_NAME.cc: declares options and, when chosen, sets context.action.
void add_init(CLI::App&, Context&);
void add_plan(CLI::App&, Context&);
void add_try(CLI::App&, Context&);
void add_run(CLI::App&, Context&);
void add_resume(CLI::App&, Context&);
void add_control(CLI::App&, Context&);  ///< pause, cancel, steer, gates, approve, reject
void add_watch(CLI::App&, Context&);    ///< watch, log
void add_ls(CLI::App&, Context&);
void add_show(CLI::App&, Context&);
void add_runs(CLI::App&, Context&);
void add_run_log(CLI::App&, Context&);
void add_metrics(CLI::App&, Context&);
void add_graph(CLI::App&, Context&);
void add_recall(CLI::App&, Context&);
void add_artifact(CLI::App&, Context&);
void add_audit(CLI::App&, Context&);
void add_check(CLI::App&, Context&);
void add_reproduce(CLI::App&, Context&);
void add_verify(CLI::App&, Context&);
void add_gc(CLI::App&, Context&);
void add_backup(CLI::App&, Context&);
void add_export(CLI::App&, Context&);
void add_import(CLI::App&, Context&);
void add_exec(CLI::App&, Context&);
void add_remark(CLI::App&, Context&);  ///< note, decision, dead-end, conclude
void add_doctor(CLI::App&, Context&);
void add_serve(CLI::App&, Context&);

}  // namespace cli

#pragma once
// The verbs of the command line: each function adds one to the parser. Also declares what several verbs use.

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/command_context.h"
#include "base/result.h"
#include "kernel/domain/frozen_inputs.h"
#include "kernel/domain/study_spec.h"

namespace kernel {
struct Expected;
}

namespace memory {
class Reader;
}

namespace cli {

using AddVerb = void(CLI::App&, Context&);

// One function per verb, alone or with its nearest relatives in a verb_*.cc: declares options and, when chosen, sets
// context.action. `control` adds pause, cancel, steer, withdraw, judge, amend, fork, gates, approve and reject; `watch`
// also log; `remark` note, decision, dead-end and conclude; `tag` also archive.
AddVerb add_init, add_plan, add_try, add_run, add_resume, add_control, add_watch, add_ls, add_show, add_runs,
    add_run_log, add_metrics, add_graph, add_recall, add_verify, add_gc, add_backup, add_exec, add_remark, add_doctor,
    add_serve, add_simulate, add_trace, add_confirm, add_ask, add_bench, add_tag;

/// Marks a verb that starts jobs, or plans them: a configuration that cannot be read ends it. Other verbs go on
/// without.
void needs_configuration(CLI::App& verb, Context&);

/// Adds --executor, which names the backend. The verb also needs the configuration.
void add_executor_option(CLI::App& verb, Context&);

/// "33 s (30 s to 36 s)".
std::string expected_duration(const kernel::Expected& seconds);

/// What ignore files keep out of the workspace, with sizes; empty if there is nothing.
std::string left_out_text(const kernel::IgnoredFiles&);

/// Sets "allows" of every gate of the `study` JSON that waits before runs: what an approval allows, as the HTTP API
/// gives it. Loads the study only if there is such a gate.
void add_allowed(const Context&, const memory::Reader&, nlohmann::json& study);

/// Reads one `KEY=VALUE` into the budget; returns what is wrong with it. `plain`: a plain duration is wall time, too.
std::optional<kernel::Problem> read_budget(const std::string& entry, kernel::Budget&, bool plain = false);

/// A verb that does `act` with options of its own, which the caller declares.
template <typename Options>
std::pair<CLI::App*, std::shared_ptr<std::decay_t<Options>>> add_verb(CLI::App& app, Context& context,
                                                                      const std::string& name, const std::string& what,
                                                                      int (*act)(const Context&, Options)) {
  CLI::App* verb = app.add_subcommand(name, what);
  auto options = std::make_shared<std::decay_t<Options>>();
  verb->callback(
      [&context, options, act] { context.action = [&context, options, act] { return act(context, *options); }; });
  return {verb, options};
}

}  // namespace cli

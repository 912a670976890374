#pragma once
// The verbs of the command line; each function adds one to the parser.

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "apps/cli/terminal/command_context.h"

namespace cli {

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

#pragma once
// Runs a session on this thread with the signals' meaning (first SIGINT drains; a second, or SIGTERM, leaves), and
// says at the end how the studies stand.

#include <string>
#include <vector>

#include "apps/cli/cli.h"
#include "apps/cli/live_view.h"
#include "apps/session/session.h"

namespace cli {

/// Blocks SIGINT and SIGTERM for this thread and those it starts. Call before a session is opened.
void hold_signals();

enum class Rest { ended, out_of_budget, left };
/// Runs until the study is at rest and prints nothing about it.
Rest run_quietly(session::Session&, LiveView&, const std::string& study);

/// Runs until the studies are at rest and prints how they ended; the exit code is the worst study's.
int run_to_rest(const Context&, session::Session&, LiveView&, const std::vector<std::string>& studies);

}  // namespace cli

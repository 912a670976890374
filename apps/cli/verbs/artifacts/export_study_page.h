#pragma once
// `etude export STUDY --to page`: the page with one study, for a browser without a server.

#include <string>

#include "apps/cli/terminal/command_context.h"

namespace cli {

struct PageExport {
  std::string study, output;
  bool force = false, allow_secrets = false;
};

/// Returns the exit code. Only reads the home, which another process may own.
int export_study_page(const Context&, const PageExport&);

}  // namespace cli

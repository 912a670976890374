#pragma once
// `etude audit`: whether an artifact says what its own record gives. Believes no derived file: the study is rebuilt
// from the event log, its decisions and results are computed again, and every page that follows from them is composed
// anew and compared line by line. Reads files only, beneath the given directory only (of a zip, see unpack.h);
// runs nothing.

#include <string>

#include "artifacts/check/check.h"

namespace artifacts {

struct AuditOptions {
  bool strict = false;       ///< Warnings count against `ok` too.
  std::string head;          ///< Where the chain must end, kept elsewhere; empty: nobody kept it.
  std::string tool_version;  ///< This program's, as artifacts name it.
  bool redraw = false;       ///< Figures are drawn again and compared, where there is a gnuplot.
  HashObserver hashing{};    ///< May be empty.
};

/// Everything that `check` finds is among the findings. A problem (bad input, exit 2) only where the path is no
/// directory and no zip.
kernel::Result<CheckReport> audit(const std::string& path, const AuditOptions& options = {});

}  // namespace artifacts

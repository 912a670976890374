#pragma once
// `etude audit`: whether an artifact agrees with its own record. It trusts no derived file: it rebuilds the study from
// the event log, recomputes decisions and results, and compares every page that follows from them line by line. Reads
// only files below the given directory (for a zip, see unpack.h); runs nothing.

#include <string>

#include "artifacts/check/check.h"

namespace artifacts {

struct AuditOptions {
  bool strict = false;       ///< Warnings also make `ok` false.
  std::string head;          ///< Where the chain must end, if the caller kept its head; else empty.
  std::string tool_version;  ///< This program's version, as artifacts state it.
  bool redraw = false;       ///< Draws the figures again and compares them, if gnuplot is installed.
  HashObserver hashing{};    ///< May be empty.
};

/// The findings include those of `check`. A problem (bad input, exit 2) only if the path is no directory and no zip.
kernel::Result<CheckReport> audit(const std::string& path, const AuditOptions& options = {});

}  // namespace artifacts

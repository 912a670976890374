#pragma once
// `etude check`: everything that the rules say of one artifact. Reads files only, beneath the given directory
// only; a zip is unpacked first (unpack.h).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/read/findings.h"
#include "artifacts/read/recorded_log.h"
#include "base/result.h"

namespace artifacts {

struct CheckOptions {
  bool strict = false;     ///< Warnings count against `ok` too.
  HashObserver hashing{};  ///< May be empty.
};

struct CheckReport {
  std::string artifact;  ///< The path as it was given, made printable.
  bool ok = false;       ///< No error and nothing critical; strict: no warning either.
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::vector<Finding> findings;
};

/// Counts and sorts them; `ok` as the options want it.
CheckReport report_of(const std::string& path, const Findings&, const CheckOptions&);

/// A problem (bad input, exit 2) only where the path is no directory and no zip; everything inside it is a finding.
kernel::Result<CheckReport> check(const std::string& path, const CheckOptions& options = {});

/// The `check` object of the contract.
nlohmann::json to_json(const CheckReport& report);
/// One line `severity file:line rule message` per finding, then a summary.
std::string to_text(const CheckReport& report);

}  // namespace artifacts

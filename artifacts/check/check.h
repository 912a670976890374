#pragma once
// `etude check`: applies the published rules of the format and etude's own to one artifact. Reads only files below the
// given directory; a zip is unpacked first (unpack.h).

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/published/configuration.h"
#include "artifacts/read/findings.h"
#include "artifacts/read/record.h"
#include "base/result.h"

namespace artifacts {

struct CheckOptions {
  /// Warnings also make `ok` false, and etude's own errors are errors. Otherwise only what the published rules refuse,
  /// or what contradicts etude.json, is an error.
  bool strict = false;
  HashObserver hashing{};  ///< May be empty.
  published::ConfigurationChoice configuration{};
  std::string repository{};  ///< The folder of the surrounding repository; empty: paths into it are not judged.
};

struct CheckReport {
  std::string artifact;  ///< The path as given, made printable.
  bool ok = false;       ///< No error and no critical finding; with `strict`, no warning either.
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::string configuration{};  ///< The `.ara-check.toml` that was used; empty if none.
  std::vector<Finding> findings;
  std::vector<std::string> not_verified{};  ///< What nobody may conclude from `ok`, each with what would tell.
};

/// Counts and sorts the findings; computes `ok` by the options.
CheckReport report_of(const std::string& path, const Findings&, const CheckOptions&);

/// A problem (bad input, exit 2) only if the path is no directory and no zip, or if a `.ara-check.toml` or the
/// repository cannot be read; everything inside is a finding.
kernel::Result<CheckReport> check(const std::string& path, const CheckOptions& options = {});

nlohmann::json to_json(const Finding&);
/// The `check` object of the JSON output.
nlohmann::json to_json(const CheckReport& report);
/// One line `severity file:line rule message` per finding, those of the published rules first, then a summary and a
/// line for each thing that was not verified. What only says again what a published rule says is left out.
std::string to_text(const CheckReport& report);
/// The last lines of it: the summary and what was not verified.
std::string summary_text(const CheckReport& report);

}  // namespace artifacts

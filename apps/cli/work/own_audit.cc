#include "apps/cli/work/own_audit.h"

#include <fmt/format.h>

#include "apps/cli/terminal/command_context.h"
#include "artifacts/audit/audit.h"
#include "prose/numbers.h"

namespace cli {

std::string own_audit_line(const kernel::Study& study) {
  if (study.artifact.empty()) return "";
  const std::string path = printable(study.artifact);
  std::string found;
  try {
    const auto report = artifacts::audit(study.artifact, {.head = study.sealed_head, .tool_version = ETUDE_VERSION});
    if (!report) throw std::runtime_error(report.problem().text());
    if (report->ok && report->warnings == 0) return "audit     nothing found: every page says what the record gives\n";
    found = fmt::format("{}, {}; see `etude audit {}`", prose::counted(report->errors, "error"),
                        prose::counted(report->warnings, "warning"), path);
    if (!report->ok) fmt::print(stderr, "audit: {}: {}\n", path, found);
  } catch (const std::exception& error) {
    // The study has ended, and a failed audit does not change how.
    found = "could not be made: " + printable(error.what());
  }
  return "audit     " + found + "\n";
}

}  // namespace cli

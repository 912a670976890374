#pragma once
// How `check`, `audit` and `import` print what they found.

#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/command_context.h"
#include "artifacts/check/check.h"

namespace cli {

/// text: a line for each finding. github, gitlab: as they show findings at the lines of a change.
enum class FindingsFormat { text, github, gitlab };

/// Adds --format.
void add_findings_format(CLI::App& verb, FindingsFormat&);

/// Prints the findings in that format, or as JSON, and returns the exit code. `artifact`: as it was named. `more`:
/// members to add to the report's JSON.
int print_findings(const Context&, const kernel::Result<artifacts::CheckReport>&, const std::string& artifact,
                   FindingsFormat format = FindingsFormat::text, const nlohmann::json& more = nlohmann::json::object());

}  // namespace cli

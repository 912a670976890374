#include "apps/cli/verbs/artifacts/print_findings.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

int print_findings(const Context& context, const kernel::Result<artifacts::CheckReport>& report,
                   const nlohmann::json& more) {
  if (!report) return fail(bad_input, report.problem());
  if (context.json) {
    nlohmann::json document = artifacts::to_json(*report);
    document.update(more);
    print_json(document);
  } else {
    fmt::print("{}", printable(artifacts::to_text(*report)));
  }
  return report->ok ? ok : wanting;
}

}  // namespace cli

#include "apps/cli/print_findings.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

int print_findings(const Context& context, const kernel::Result<artifacts::CheckReport>& report) {
  if (!report) return fail(bad_input, report.problem());
  if (context.json)
    print_json(artifacts::to_json(*report));
  else
    fmt::print("{}", printable(artifacts::to_text(*report)));
  return report->ok ? ok : wanting;
}

}  // namespace cli

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include <nlohmann/json.hpp>

#include "apps/cli/cli.h"
#include "apps/cli/print_findings.h"
#include "artifacts/audit.h"
#include "artifacts/level2_report.h"

namespace cli {

namespace {

struct AuditWords {
  std::string artifact;
  std::string report;
  artifacts::AuditOptions audit;
};

int audit(const Context& context, const AuditWords& words) {
  const auto report = artifacts::audit(words.artifact, words.audit);
  if (report && !words.report.empty()) {
    std::ofstream file(words.report, std::ios::binary | std::ios::trunc);
    file << artifacts::level2_report(*report, words.audit.tool_version).dump(2) << "\n";
    if (!file.flush()) return fail(environment, words.report, std::strerror(errno), "name a file that can be written");
  }
  return print_findings(context, report);
}

}  // namespace

void add_audit(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("audit", "does the artifact say what its own record gives?");
  auto words = std::make_shared<AuditWords>();
  words->audit.tool_version = ETUDE_VERSION;
  verb->add_option("ARA", words->artifact, "the artifact's folder")->required();
  verb->add_flag("--strict", words->audit.strict, "warnings count too");
  verb->add_option("--report", words->report,
                   "also write the findings there by dimension, as level2_report.json has them");
  verb->add_option("--head", words->audit.head, "the chain's head as it was printed when the study ended");
  verb->callback([&context, words] { context.action = [&context, words] { return audit(context, *words); }; });
}

}  // namespace cli

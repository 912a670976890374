#include <memory>

#include "apps/cli/cli.h"
#include "apps/cli/print_findings.h"
#include "artifacts/audit.h"

namespace cli {

namespace {

struct AuditWords {
  std::string artifact;
  artifacts::AuditOptions audit;
};

int audit(const Context& context, const AuditWords& words) {
  return print_findings(context, artifacts::audit(words.artifact, words.audit));
}

}  // namespace

void add_audit(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("audit", "does the artifact say what its own record gives?");
  auto words = std::make_shared<AuditWords>();
  words->audit.tool_version = ETUDE_VERSION;
  verb->add_option("ARA", words->artifact, "the artifact's folder")->required();
  verb->add_flag("--strict", words->audit.strict, "warnings count too");
  verb->add_option("--head", words->audit.head, "the chain's head as it was printed when the study ended");
  verb->callback([&context, words] { context.action = [&context, words] { return audit(context, *words); }; });
}

}  // namespace cli

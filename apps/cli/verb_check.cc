#include <memory>

#include "apps/cli/cli.h"
#include "apps/cli/print_findings.h"
#include "artifacts/check.h"

namespace cli {

namespace {

struct CheckOptions {
  std::string artifact;
  artifacts::CheckOptions check;
  bool fix = false;
};

int check(const Context& context, const CheckOptions& options) {
  if (options.fix)
    return fail(bad_input, "`check --fix` is not available yet", "", "mend what `etude check` lists by hand");
  return print_findings(context, artifacts::check(options.artifact, options.check));
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("check", "is the artifact well formed and unchanged?");
  auto options = std::make_shared<CheckOptions>();
  verb->add_option("ARA", options->artifact, "the artifact's folder")->required();
  verb->add_flag("--strict", options->check.strict, "warnings count too");
  verb->add_flag("--fix", options->fix, "not available yet");
  verb->callback([&context, options] { context.action = [&context, options] { return check(context, *options); }; });
}

}  // namespace cli

#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/cli.h"
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
  const auto report = artifacts::check(options.artifact, options.check);
  if (!report) return fail(bad_input, report.problem());
  if (context.json)
    print_json(artifacts::to_json(*report));
  else
    fmt::print("{}", printable(artifacts::to_text(*report)));
  return report->ok ? ok : wanting;
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

#include <fmt/format.h>

#include "apps/cli/terminal/progress_bar.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/artifacts/artifact_verbs.h"
#include "apps/cli/verbs/artifacts/print_findings.h"
#include "apps/cli/work/lookup.h"
#include "artifacts/check/check.h"
#include "artifacts/check/fix.h"

namespace cli {

namespace {

struct CheckOptions {
  std::string artifact;
  artifacts::CheckOptions check;
  FindingsFormat format = FindingsFormat::text;
  bool fix = false;
};

kernel::Result<artifacts::CheckReport> checked(const CheckOptions& options) {
  HashBar bar;
  artifacts::CheckOptions own = options.check;
  own.hashing = [&bar](std::uint64_t done, std::uint64_t all) { bar.show(done, all); };
  return artifacts::check(options.artifact, own);
}

int check(const Context& context, CheckOptions options) {
  const auto artifact = artifact_named(context, options.artifact);
  if (!artifact) return fail(bad_input, artifact.problem());
  options.artifact = *artifact;
  if (!options.fix) return print_findings(context, checked(options), options.artifact, options.format);
  const auto fixed = artifacts::fix(options.artifact, options.check.configuration);
  if (!fixed) return fail(bad_input, fixed.problem());
  for (const artifacts::FixedPlace& left : fixed->left)
    fail(wanting, left.file, left.message, "correct the listed findings by hand");
  if (!context.json && options.format != FindingsFormat::gitlab)
    fmt::print("{}", printable(artifacts::to_text(*fixed)));
  const int code =
      print_findings(context, checked(options), options.artifact, options.format, artifacts::to_json(*fixed));
  return code == ok && !fixed->left.empty() ? wanting : code;
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb(app, context, "check", "is the artifact well formed and unchanged?", check);
  verb->add_option("ARA", options->artifact, "the artifact's folder, a zip of it, or its study")->required();
  verb->add_flag("--strict", options->check.strict, "warnings count too, and etude's own rules");
  verb->add_flag("--fix", options->fix, "first rewrite older spellings of keys and headers, and nothing else");
  verb->add_option("--repo", options->check.repository, "the repository around it, to judge paths that lead there");
  const auto config = verb->add_option("--config", options->check.configuration.path,
                                       "this .ara-check.toml, not the one in the folder or above it");
  add_findings_format(*verb, options->format);
  verb->add_flag("--no-config", options->check.configuration.ignored, "no .ara-check.toml")->excludes(config);
}

}  // namespace cli

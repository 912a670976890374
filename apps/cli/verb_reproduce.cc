#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/attend.h"
#include "apps/cli/cli.h"
#include "apps/cli/signals.h"
#include "apps/session/reproduction.h"

namespace cli {

namespace {

struct ReproduceOptions {
  std::string artifact, executor = "local";
  std::vector<std::string> claims;
  int sample = 0, jobs = 0;
};

int reproduce(const Context& context, const ReproduceOptions& options) {
  if (options.sample > 0) return fail(bad_input, "`--sample` is not available yet", "");
  if (!options.claims.empty()) return fail(bad_input, "`--claim` is not available yet", "");
  if (options.executor != "local")
    return fail(bad_input, "--executor " + options.executor, "only `local` is available yet");
  auto recorded = artifacts::read_recorded(options.artifact);
  if (!recorded) return fail(bad_input, recorded.problem());
  if (recorded->spec.code)
    return fail(bad_input, "its versions of the code were written by models, and are not written again",
                "`etude run STUDY.yaml --agents replay:ID` follows the journal of the home that has it");
  for (const std::string& note : recorded->notes) fmt::print(stderr, "note: {}\n", printable(note));

  hold_signals();
  // One JSON document is the answer: the events of the run are not part of it.
  LiveView view(context.json ? LiveView::Style::silent : LiveView::style_for(false));
  Errand errand;
  errand.start = start_request(recorded->spec, session::study_text(*recorded), options.jobs,
                               session::reproduction_output(session::HomePaths{context.home()}, *recorded));
  errand.start->reproduces = std::filesystem::absolute(recorded->artifact).lexically_normal().string();
  const auto ended = attend(context, view, {std::move(errand)});
  if (!ended) return fail(bad_input, ended.problem());
  if (ended->empty() || ended->front().state != kernel::StudyState::ended) {
    const int code = ended->empty() ? interrupted : exit_code(ended->front());
    if (code != budget) return code;
  }
  const artifacts::ReproductionReport report = artifacts::compare(*recorded, ended->front());
  if (context.json)
    print_json(artifacts::to_json(report));
  else
    fmt::print("\n{}", artifacts::to_text(report));
  if (exit_code(ended->front()) == budget) return budget;
  return report.outcome == artifacts::ClaimOutcome::reproduced ? ok : wanting;
}

}  // namespace

void add_reproduce(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("reproduce", "run an artifact's design again and compare, claim by claim");
  auto options = std::make_shared<ReproduceOptions>();
  verb->add_option("ARA", options->artifact, "the artifact's folder")->required();
  verb->add_option("-j,--jobs", options->jobs, "runs at once")->check(CLI::Range(1, 4096));
  verb->add_option("--claim", options->claims, "not available yet");
  verb->add_option("--sample", options->sample, "not available yet");
  verb->add_option("--executor", options->executor, "where runs run: local");
  verb->callback(
      [&context, options] { context.action = [&context, options] { return reproduce(context, *options); }; });
}

}  // namespace cli

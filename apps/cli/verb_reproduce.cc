#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/cli.h"
#include "apps/cli/run_session.h"
#include "artifacts/reproduction.h"

namespace cli {

namespace {

struct ReproduceOptions {
  std::string artifact, executor = "local";
  std::vector<std::string> claims;
  int sample = 0, jobs = 0;
};

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int reproduce(const Context& context, const ReproduceOptions& options) {
  if (options.sample > 0) return fail(bad_input, "`--sample` is not available yet", "");
  if (!options.claims.empty()) return fail(bad_input, "`--claim` is not available yet", "");
  if (options.executor != "local")
    return fail(bad_input, "--executor " + options.executor, "only `local` is available yet");
  auto recorded = artifacts::read_recorded(options.artifact);
  if (!recorded) return fail(bad_input, recorded.problem());
  for (const std::string& note : recorded->notes) fmt::print(stderr, "note: {}\n", printable(note));

  hold_signals();
  // One JSON document is the answer: the events of the run are not part of it.
  LiveView view(context.json ? LiveView::Style::silent : LiveView::style_for(false));
  auto session = session::Session::open(context.home(), view);
  if (!session) return fail(environment, session.problem());
  const std::string output = session::HomePaths{context.home()}.reproductions() + "/" + recorded->head.substr(0, 16);
  const auto id =
      (*session)->start({recorded->spec, file_text(recorded->artifact + "/src/study.yaml"), options.jobs, output,
                         std::filesystem::absolute(recorded->artifact).lexically_normal().string()});
  if (!id) return fail(bad_input, id.problem());
  const Rest rest = run_quietly(**session, view, *id);
  if (rest == Rest::left) return interrupted;
  const artifacts::ReproductionReport report = artifacts::compare(*recorded, *(*session)->study(*id));
  if (context.json)
    print_json(artifacts::to_json(report));
  else
    fmt::print("\n{}", artifacts::to_text(report));
  if (rest == Rest::out_of_budget) return budget;
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

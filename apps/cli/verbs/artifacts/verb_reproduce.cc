#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/artifacts/reproduce_command.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/budget_option.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/session/prepare/reproduction_request.h"
#include "artifacts/reproduce/reproduction_foreign.h"
#include "artifacts/write/package.h"
#include "executors/backend/backend.h"

namespace cli {

namespace {

struct ReproduceOptions {
  std::string artifact, executor = "local", seeds = "recorded", output, command;
  std::vector<std::string> claims, budget;
  std::optional<std::uint64_t> seed;
  int sample = 0, jobs = 0;
};

/// A seed that the artifact's author could not know.
std::uint64_t chance_seed() {
  std::random_device device;
  return device();
}

/// Before anything starts, prints what will be run, its cost, and which settings of the artifact are ignored.
void announce(const Context& context, const artifacts::Recorded& recorded, const session::StartRequest& start) {
  for (const std::string& note : recorded.notes) fmt::print(stderr, "note: {}\n", printable(note));
  for (const kernel::Untrue& untrue : recorded.terms.untrue)
    fmt::print(stderr, "warning: {}\n", printable(untrue.what));
  const artifacts::ReproductionCost forecast = artifacts::forecast(recorded);
  const int jobs = start.jobs > 0 ? start.jobs : session::default_jobs(context.backend.cores(), start.spec);
  const kernel::Budget& budget = start.spec.budget;
  if (budget.wall_s && forecast.wall_s(jobs) > *budget.wall_s)
    fmt::print(stderr, "warning: budget: about {:.0f} s are needed, and it allows {:.0f} s\n", forecast.wall_s(jobs),
               *budget.wall_s);
  if (budget.runs && forecast.runs > *budget.runs)
    fmt::print(stderr, "warning: budget: {} runs are needed, and it allows {}\n", forecast.runs, *budget.runs);
  if (context.json) return;
  fmt::print("{}\n", artifacts::to_text(forecast, jobs));
  if (recorded.terms.sample > 0) fmt::print("the sample is drawn with the seed {}\n", recorded.terms.seed);
  if (recorded.terms.fresh) fmt::print("the fresh seeds come of the seed {}\n", recorded.terms.seed);
  std::fflush(stdout);
}

void print_report(const Context& context, const artifacts::ReproductionReport& report, const kernel::Study& study) {
  if (context.json) return print_json(artifacts::to_json(report));
  fmt::print("\n{}", artifacts::to_text(report));
  if (!study.artifact.empty()) fmt::print("report: {}\n", printable(study.artifact + "/reproduction.html"));
}

kernel::Result<artifacts::Recorded> read_chosen(const ReproduceOptions& options) {
  auto recorded = artifacts::read_recorded(options.artifact);
  if (!recorded) return recorded.problem();
  const artifacts::ReproductionChoice choice{options.claims, options.seeds == "fresh", options.sample,
                                             options.seed.value_or(chance_seed())};
  if (auto problem = artifacts::choose(*recorded, choice)) return *problem;
  for (const std::string& entry : options.budget)
    if (auto problem = read_budget(entry, recorded->spec.budget, true)) return *problem;
  return recorded;
}

/// The same choice again resumes a stopped reproduction.
Errand errand_for(const Context& context, const ReproduceOptions& options, const artifacts::Recorded& recorded) {
  Errand errand;
  const session::HomePaths home{context.home()};
  if (const std::string id = session::unfinished_reproduction(home, recorded, options.seed); !id.empty()) {
    fmt::print(stderr, "note: goes on with {}, which was not finished\n", id);
    errand.resume = {id, options.jobs, {}};
    for (const std::string& entry : options.budget) read_budget(entry, errand.resume.raised, true);
    return errand;
  }
  errand.start = session::reproduction_request(home, recorded);
  errand.start->jobs = options.jobs;
  if (!options.output.empty())
    errand.start->output = std::filesystem::absolute(options.output).lexically_normal().string();
  sign(*errand.start);
  announce(context, recorded, *errand.start);
  return errand;
}

int reproduce(const Context& context, const ReproduceOptions& options) {
  if (options.executor != "local")
    return fail(bad_input, "--executor " + options.executor, "only `local` is available yet");
  if (artifacts::is_foreign(options.artifact)) {
    if (!options.claims.empty() || options.sample > 0 || options.seeds != "recorded" || options.seed ||
        !options.budget.empty() || options.jobs > 0)
      return fail(bad_input, options.artifact,
                  "there is no etude.json: no run or seed of it is known to choose from, nor what one costs",
                  "leave out --claim, --sample, --seeds, --seed, --budget and --jobs");
    return reproduce_foreign(context, options.artifact, options.command, options.output);
  }
  if (!options.command.empty())
    return fail(bad_input, "--command", "the artifact has a registered design, which is what is run", "leave it out");
  auto recorded = read_chosen(options);
  if (!recorded) return fail(bad_input, recorded.problem());
  Errand errand = errand_for(context, options, *recorded);
  if (errand.start)
    if (const auto replaceable = artifacts::may_replace(errand.start->output); !replaceable)
      return fail(bad_input, replaceable.problem());

  hold_signals();
  // The output is one JSON document, without the events of the run.
  LiveView view(context.json ? LiveView::Style::silent : LiveView::style_for(false));
  const auto ended = attend(context, view, {std::move(errand)});
  if (!ended) return fail(bad_input, ended.problem());
  if (ended->empty()) return interrupted;
  const kernel::Study& study = ended->front();
  const bool stopped = study.state != kernel::StudyState::ended;
  if (stopped && exit_code(study) != budget) return exit_code(study);
  const auto report = session::reproduction_report(session::HomePaths{context.home()}, study.id);
  if (!report) return fail(bad_input, report.problem());
  print_report(context, *report, study);
  if (stopped) return budget;
  return report->good() ? ok : wanting;
}

}  // namespace

void add_reproduce(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "reproduce", "run an artifact's design again and compare, claim by claim", reproduce);
  verb->add_option("ARA", options->artifact, "the artifact's folder")->required();
  verb->add_option("--claim", options->claims, "only this claim, such as C01; may be repeated");
  verb->add_option("--seeds", options->seeds, "recorded (default), or fresh: ones that it did not use")
      ->check(CLI::IsMember({"recorded", "fresh"}));
  verb->add_option("--sample", options->sample, "only so many of its runs, drawn by chance")
      ->check(CLI::Range(1, 1'000'000));
  verb->add_option("--seed", options->seed, "your own, for the sample or the fresh seeds (default: by chance)");
  verb->add_option("--budget", options->budget,
                   "a limit, such as 2h, runs=40 or gpu_hours=1 (default: the study's own)");
  verb->add_option("--command", options->command, "of an artifact without etude.json: what to run of it");
  verb->add_option("-j,--jobs", options->jobs, "runs at once")->check(CLI::Range(1, 4096));
  verb->add_option("-o,--output", options->output,
                   "folder of what it hands back: an artifact with reproduction.html (default: in the home)");
  verb->add_option("--executor", options->executor, "where runs run: local");
}

}  // namespace cli

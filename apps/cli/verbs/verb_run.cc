// Runs studies: `run` and `resume`.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/detach.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/control/offline.h"
#include "apps/session/home/placed_artifact.h"
#include "apps/session/prepare/prepare.h"
#include "apps/session/prepare/read_study.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/package.h"
#include "executors/make_backend.h"
#include "kernel/views/plan.h"
#include "memory/store/reader.h"
#include "programs/run_program.h"
#include "studyfile/load.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

struct RunOptions {
  std::string study, output, agents;
  int jobs = 0, priority = 0;
  bool detach = false;
};

int run(const Context& context, const RunOptions& options) {
  if (!options.agents.empty() && !studyfile::is_name(options.agents) && !options.agents.starts_with("replay:"))
    return fail(bad_input, "--agents", "`" + options.agents + "` is not the name of a profile",
                "`builtin`, or one of the configuration's");
  const auto parsed = session::read_study(context.home(), options.study, studyfile::Use::study, options.agents);
  if (!parsed) return fail(bad_input, parsed.problem());
  const std::string output =
      options.output.empty() ? session::default_output(parsed->spec.file) : absolute_path(options.output);
  if (const auto replaceable = artifacts::may_replace(output); !replaceable)
    return fail(bad_input, replaceable.problem());
  for (const kernel::Problem& warning : parsed->warnings)
    fmt::print(stderr, "warning: {}\n", printable(warning.text()));

  const kernel::StudyPlan plan = kernel::plan_of(parsed->spec);
  for (const kernel::PlannedHypothesis& h : plan.hypotheses)
    if (h.refused)
      return fail(bad_input, parsed->spec.file + ": hypothesis " + h.hypothesis.id, artifacts::without_stop(h.note),
                  "see `etude plan`");
  if (const memory::Reader reader(context.home()); reader.has_store())
    reader.studies([&](std::string_view document) {
      const auto study = nlohmann::json::parse(document);
      if (study.at("state") != "ended" && study.value("output", nlohmann::json()) == output)
        fmt::print(stderr,
                   "warning: {}: study {}, which has not ended, writes its artifact there, too: give one of them "
                   "another folder with -o\n",
                   printable(output), study.at("id").get<std::string>());
    });
  if (const std::string replaced = session::replaced_study(memory::Reader(context.home()), output); !replaced.empty())
    fmt::print(stderr,
               "warning: {}: this study's artifact will replace that of {}; to keep both, give a folder with -o\n",
               printable(output), printable(replaced));
  if (!plan.shortfall.empty()) fmt::print(stderr, "warning: budget: {}\n", plan.shortfall);

  if (const auto weaker = session::weaker_walls(*context.backend, parsed->spec, programs::own_environment()))
    fmt::print(stderr, "warning: {}\n", printable(weaker->text()));

  FollowRequest follow;
  session::StartRequest& start = follow.start.emplace();
  start.spec = parsed->spec;
  start.text = parsed->text;
  start.jobs = options.jobs;
  start.priority = options.priority;
  start.output = output;
  sign(start);
  if (options.detach) return follow_detached(context, {std::move(follow)});
  return follow_and_print(context, {std::move(follow)});
}

struct ResumeOptions {
  std::string study;
  std::vector<std::string> budget;
  int jobs = 0;
  std::optional<int> priority;
  bool detach = false;
};

int resume(const Context& context, const ResumeOptions& options) {
  session::ResumeRequest request{"", options.jobs, {}, options.priority};
  for (const std::string& entry : options.budget)
    if (const auto problem = read_budget(entry, request.raised)) return fail(bad_input, *problem);
  std::vector<std::string> ids;
  if (options.study.empty()) {
    ids = session::stopped_studies(context.home(), in_hand(context.home()).value_or(std::set<std::string>()));
  } else {
    const auto id = find_study(options.study, memory::Reader(context.home()).ids());
    if (!id) return fail(bad_input, id.problem());
    ids = {*id};
  }
  if (ids.empty()) {
    // A kernel that starts removes what others left unfinished, even if there is nothing else to do.
    LiveView silent(LiveView::Style::silent);
    if (memory::Reader(context.home()).has_store())
      if (const auto opened = session::Session::open(context.home(), silent, *context.backend); !opened)
        return fail(environment, opened.problem());
    if (!context.json) fmt::print("nothing to resume\n");
    return ok;
  }
  std::vector<FollowRequest> requests;
  for (const std::string& id : ids) {
    request.study = id;
    requests.push_back({std::nullopt, request, false, ""});
  }
  if (options.detach) return follow_detached(context, std::move(requests));
  return follow_and_print(context, std::move(requests));
}

}  // namespace

void needs_configuration(CLI::App& verb, Context& context) {
  verb.preparse_callback([&context](std::size_t) { context.places_jobs = true; });
}

void add_executor_option(CLI::App& verb, Context& context) {
  needs_configuration(verb, context);
  verb.add_option("--executor", context.executor,
                  fmt::format("where runs run: {}", fmt::join(executors::backend_names(), ", ")));
}

void add_run(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb(app, context, "run", "run a study to its verdicts and its artifact", run);
  verb->add_option("STUDY", options->study, "the study file")->required();
  verb->add_option("-j,--jobs", options->jobs, "runs at once (default: as the cores allow)")
      ->check(CLI::Range(1, 4096));
  verb->add_option("--priority", options->priority, "-10 to 10; runs of the study with the higher priority start first")
      ->check(CLI::Range(kernel::least_priority, kernel::most_priority));
  verb->add_option("-o,--output", options->output,
                   "folder of the artifact (default: <stem>-ara beside the study file)");
  verb->add_option("--agents", options->agents,
                   "profile of the agents: `builtin`, one of the configuration, or replay:ID (else the study file's)");
  add_executor_option(*verb, context);
  verb->add_flag("--detach", options->detach, "run in the background; this terminal may be closed");
  // Skips confirmations. `run` has none, so the option is not in the help.
  verb->add_flag("--yes")->group("");
}

void add_resume(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "resume", "continue a study that a crash, a pause or a budget stopped", resume);
  verb->add_option("ID", options->study, "the study (default: all that a crash or an interrupt stopped)");
  verb->add_option("-j,--jobs", options->jobs, "runs at once (default: as before)")->check(CLI::Range(1, 4096));
  verb->add_option("--priority", options->priority, "-10 to 10; runs of the study with the higher priority start first")
      ->check(CLI::Range(kernel::least_priority, kernel::most_priority));
  add_executor_option(*verb, context);
  verb->add_option("--budget", options->budget, "a budget's new limit, such as runs=400 or wall=10m");
  verb->add_flag("--detach", options->detach, "run in the background; this terminal may be closed");
}

}  // namespace cli

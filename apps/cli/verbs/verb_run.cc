#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/session/prepare/read_study.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/package.h"
#include "kernel/views/plan.h"
#include "studyfile/load.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

struct RunOptions {
  std::string study, output, agents, executor = "local";
  int jobs = 0;
};

int run(const Context& context, const RunOptions& options) {
  if (!options.agents.empty() && !studyfile::is_name(options.agents) && !options.agents.starts_with("replay:"))
    return fail(bad_input, "--agents", "`" + options.agents + "` is no profile's name",
                "`builtin`, or one of the configuration's");
  if (options.executor != "local")
    return fail(bad_input, "--executor " + options.executor, "only `local` is available yet");
  const auto parsed = session::read_study(context.home(), options.study, studyfile::Use::study, options.agents);
  if (!parsed) return fail(bad_input, parsed.problem());
  const std::string output = options.output.empty()
                                 ? session::default_output(parsed->spec.file)
                                 : std::filesystem::absolute(options.output).lexically_normal().string();
  if (const auto replaceable = artifacts::may_replace(output); !replaceable)
    return fail(bad_input, replaceable.problem());
  for (const kernel::Problem& warning : parsed->warnings)
    fmt::print(stderr, "warning: {}\n", printable(warning.text()));

  const kernel::StudyPlan plan = kernel::plan_of(parsed->spec);
  for (const kernel::PlannedHypothesis& h : plan.hypotheses)
    if (h.refused)
      return fail(bad_input, parsed->spec.file + ": hypothesis " + h.hypothesis.id, artifacts::without_stop(h.note),
                  "see `etude plan`");
  if (!plan.shortfall.empty()) fmt::print(stderr, "warning: budget: {}\n", plan.shortfall);

  hold_signals();
  LiveView view(LiveView::style_for(context.json));
  Errand errand;
  errand.start = start_request(parsed->spec, parsed->text, options.jobs, output);
  const auto ended = attend(context, view, {std::move(errand)});
  return ended ? print_endings(context, *ended) : fail(bad_input, ended.problem());
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb(app, context, "run", "run a study to its verdicts and its artifact", run);
  verb->add_option("STUDY", options->study, "the study file")->required();
  verb->add_option("-j,--jobs", options->jobs, "runs at once (default: as the cores allow)")
      ->check(CLI::Range(1, 4096));
  verb->add_option("-o,--output", options->output,
                   "folder of the artifact (default: <stem>-ara beside the study file)");
  verb->add_option("--agents", options->agents,
                   "profile of the agents: `builtin`, one of the configuration, or replay:ID (else the study file's)");
  verb->add_option("--executor", options->executor, "where runs run: local");
  // Skips confirmations. `run` has none, so the option is not in the help.
  verb->add_flag("--yes")->group("");
}

}  // namespace cli

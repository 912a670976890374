#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/session/control/model_roles.h"
#include "apps/session/home/home.h"
#include "apps/session/plan/planned_study.h"
#include "apps/session/prepare/read_study.h"
#include "base/shell_text.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/views/models_shape.h"
#include "kernel/wording/wording.h"
#include "memory/files/blobs.h"
#include "prose/numbers.h"

namespace cli {

namespace {

std::string range(kernel::RunCount count) {
  return count.least == count.most ? std::to_string(count.most) : fmt::format("{} to {}", count.least, count.most);
}

std::string replicates(kernel::RunCount count) {
  return range(count) + (count.most == 1 ? " replicate" : " replicates");
}

std::string words(const kernel::Cell& cell) {
  std::string text;
  for (const auto& [factor, level] : cell) text += fmt::format("{}{}={}", text.empty() ? "" : " ", factor, level);
  return text.empty() ? "–" : text;
}

/// " for algorithm=bubble input=random": the levels that a slope's hypothesis fixes.
std::string held(const kernel::Hypothesis& h) {
  kernel::Cell cell = h.where;
  cell.insert(h.treatment.begin(), h.treatment.end());
  return cell.empty() ? "" : " for " + words(cell);
}

std::string command_text(const std::vector<std::string>& argv) {
  if (argv.size() == 3 && argv[0] == "sh" && argv[1] == "-c") return argv[2];
  return kernel::shell_line(argv);
}

void put_evaluations(std::string& text, const kernel::StudySpec& spec, const kernel::StudyPlan& plan) {
  for (const kernel::PlannedEvaluation& evaluation : plan.evaluations) {
    const kernel::TierSpec& tier = *spec.evaluator.tier(evaluation.tier);
    text +=
        fmt::format("\nevaluator, {}: scores {} runs{}\n", kernel::name(evaluation.tier),
                    fmt::join(session::scored_by(spec, evaluation.tier), ", "),
                    evaluation.tier == kernel::Tier::test
                        ? fmt::format(", of at most {} {}", tier.looks, tier.looks == 1 ? "experiment" : "experiments")
                        : "");
    for (const std::vector<std::string>& command : evaluation.commands)
      text += fmt::format("  {}\n", printable(command_text(command)));
    for (const kernel::SealedPath& path : tier.data) text += fmt::format("  sealed: {}\n", printable(path.path));
  }
}

std::string margin_words(const kernel::Margin& margin) {
  const bool relative = margin.kind == kernel::Margin::Kind::relative;
  return relative ? fmt::format("{:.4g} %", 100 * margin.value) : fmt::format("{:.4g}", margin.value);
}

void put_time(std::string& text, const session::PlannedTime& time) {
  if (!time.prediction) return void(text += fmt::format("\ntime: not known: {}\n", printable(time.basis)));
  const kernel::Prediction& p = *time.prediction;
  text += fmt::format("\ntime of the runs with -j {}: {}\n  {}\n  {}\n", time.jobs, expected_duration(p.wall_s),
                      time.basis, kernel::prediction_words);
  if (p.gpu_hours.high > 0)
    text +=
        fmt::format("  GPU hours: {:.3g} ({:.3g} to {:.3g})\n", p.gpu_hours.value, p.gpu_hours.low, p.gpu_hours.high);
  if (p.joules) text += fmt::format("  energy: about {:.3g} J\n", *p.joules);
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n    "));
}

std::string words_of_objective(const kernel::SearchPlan& search) {
  return search.objectives.empty() ? search.metric
                                   : fmt::format("{} and {}", search.metric, search.objectives[1].metric);
}

void put_search(std::string& text, const kernel::SearchPlan& search) {
  const bool modelled = search.design == kernel::SearchDesign::model;
  const bool proposes = std::ranges::any_of(search.rungs, &kernel::Rung::proposes);
  text += fmt::format(
      "{}: {}, {}; selects by {}, gives no verdict\n", search.registered.experiment, kernel::design_words(search),
      prose::counted(static_cast<long long>(search.registered.cells.size()), modelled ? "first candidate" : "cell"),
      words_of_objective(search));
  if (!search.generators.empty()) text += fmt::format("  generators\n    {}\n", joined(search.generators));
  if (!search.aliases.empty())
    text += fmt::format("  aliases (effects on one line cannot be told apart; nothing is claimed about them)\n    {}\n",
                        joined(search.aliases));
  if (search.baseline)
    text += fmt::format("  {}: {}\n",
                        search.code ? "the person's own"
                        : modelled  ? "baseline"
                        : proposes  ? "baseline, before the first proposals"
                                    : "baseline, in every rung",
                        words(*search.baseline));
  if (modelled) text += fmt::format("  most runs: {}\n", kernel::runs_of(search.rungs));
  for (std::size_t i = 0; i < search.rungs.size() && !search.code && !modelled; ++i) {
    const kernel::Rung& rung = search.rungs[i];
    text += fmt::format("  rung {}: {}{}, {} each{}\n", i + 1,
                        rung.refines    ? "refinement, at most "
                        : rung.decides  ? "the best so far by the model, "
                        : rung.proposes ? "proposed by the model, "
                        : rung.thaws    ? "the best by the model of all that wait, "
                                        : "",
                        prose::counted(rung.candidates, search.baseline ? "candidate" : "cell"),
                        prose::counted(rung.replicates, "replicate"),
                        rung.fidelity.empty() ? "" : fmt::format(", {}={}", search.fidelity, rung.fidelity));
  }
  text += fmt::format("  {}\n  confirmation: {} against {}, {} fresh replicates in every cell\n\n",
                      kernel::newest_words(search.rule),
                      search.top == 1 ? "the best" : fmt::format("the best {}", search.top),
                      search.code       ? "the person's own"
                      : search.baseline ? "the baseline"
                                        : "their other level",
                      search.confirm_most > 0 ? fmt::format("{} to {}", search.confirm_replicates, search.confirm_most)
                                              : std::to_string(search.confirm_replicates));
}

void put_plan(std::string& text, const kernel::StudySpec& spec, const kernel::StudyPlan& plan,
              const std::optional<kernel::ProgramRecord>& environment) {
  text += fmt::format("{}\n{}\n\n", printable(spec.title), printable(spec.question));
  if (plan.search) put_search(text, *plan.search);
  text += fmt::format("hypotheses: a family of {} at alpha {}{}\n", plan.family, spec.design.alpha,
                      plan.search ? ", of what is selected" : "");
  if (spec.agents != "builtin" && spec.hypotheses.empty() && !plan.search)
    text += fmt::format("  the agents of `{}` propose them; without them these would be derived:\n", spec.agents);
  if (kernel::in_blocks(spec))
    text += fmt::format("  unit: block ({}); {} degrees of freedom\n", printable(kernel::blocks_words(spec)),
                        kernel::block_count(spec) - 1);
  for (const kernel::PlannedHypothesis& h : plan.hypotheses) {
    text +=
        fmt::format("  {}  {}{}\n", h.hypothesis.id, printable(h.hypothesis.statement), h.derived ? "  (derived)" : "");
    if (h.hypothesis.kind == kernel::HypothesisKind::slope)
      text += fmt::format("      slope of {} along {}{}: {} cells", h.hypothesis.metric, h.hypothesis.along,
                          held(h.hypothesis), h.treatment_cells);
    else
      text +=
          fmt::format("      {} of {} against {}: {} + {} cells", h.hypothesis.metric, words(h.hypothesis.treatment),
                      words(h.hypothesis.control), h.treatment_cells, h.control_cells);
    if (!h.hypothesis.steps.empty())
      text += fmt::format(", {} along {} ({})",
                          h.hypothesis.kind == kernel::HypothesisKind::interaction ? "interaction" : "crossover",
                          h.hypothesis.along, fmt::join(h.hypothesis.steps, ", "));
    text += fmt::format(", {} each\n", replicates(h.replicates));
    for (const kernel::Requirement& required : h.hypothesis.requirements)
      text += fmt::format("      requires {}: {}{}\n", required.metric, kernel::name(required.direction),
                          required.margin ? " by " + margin_words(*required.margin) : "");
    if (!h.note.empty()) text += fmt::format("      {}\n", h.note);
  }
  if (!plan.undeclared.empty())
    text += fmt::format(
        "  {} without a declared smallest effect: if there is no effect, the verdict stays inconclusive;\n"
        "  say which effect would matter: `smallest_effect: {{absolute: …}}` in the metric's unit, or `{{relative: "
        "…}}`\n",
        fmt::join(plan.undeclared, ", "));
  if (const auto& planted = spec.design.planted)
    text += fmt::format("planted effect, outside the family: {} of {} against {}\n", planted->metric,
                        words(planted->treatment), words(planted->control));
  if (spec.design.looks && spec.design.looks->anytime) {
    // The first look at the last pair is a test at the end, for which a confidence sequence is too wide.
    if (plan.looks.size() < 2)
      text += fmt::format(
          "\nno look before the end, {} pairs: a fixed number of replicates without `looks` needs fewer of them\n",
          spec.design.replicates_max);
    else
      text += fmt::format(
          "\nlooks after every pair from {} on, by a confidence sequence; what is clear gets no more runs\n",
          std::max(4, spec.design.replicates_min));
    text += "  if a run of a hypothesis fails, the hypothesis gets no verdict and no further runs\n";
  } else if (!plan.looks.empty()) {
    text += fmt::format("\nlooks, and the level that a one-sided test has there in a family of {}\n", plan.family);
    for (const kernel::PlannedLook& look : plan.looks)
      text += fmt::format("  at {:.4g} % of the replicates: {:.3g}\n", 100 * look.share, look.level);
    if (spec.design.looks->futility) text += "  a hypothesis that can hardly be decided any more also stops\n";
  }
  const std::string seeds = spec.seeds == kernel::SeedRule::drawn ? "drawn at registration"
                            : plan.seeds.empty()                  ? "one per run"
                                                                  : std::to_string(plan.seeds.front()) + " …";
  text += fmt::format("\ncommands (one per cell{}; seeds {})\n", spec.stages.empty() ? "" : " and stage", seeds);
  std::map<std::string, int> times;
  for (const kernel::PlannedCell& cell : plan.cells) ++times[command_text(cell.command)];
  for (const kernel::PlannedCell& cell : plan.cells) {
    const std::string command = command_text(cell.command);
    const std::string stage =
        spec.stages.empty() ? "" : (cell.stage.empty() ? spec.stages.back().name : cell.stage) + ": ";
    text += fmt::format("  {}{}{}\n", stage, printable(command), times[command] > 1 ? "  # " + words(cell.cell) : "");
  }
  if (environment)
    text += fmt::format("\nprograms: {}\n", environment->path.empty()
                                                ? environment->version + "; run once when the study starts"
                                                : printable(environment->version + ", " + environment->path));
  put_evaluations(text, spec, plan);
  text += "\nruns\n";
  if (plan.smoke)
    text += fmt::format("  {:>8}  manipulation check (each factor and the seed flipped once)\n", plan.smoke);
  if (plan.pilot)
    text +=
        fmt::format("  {:>8}  pilot ({} per cell, own seeds, discarded as evidence)\n", plan.pilot, spec.design.pilot);
  if (plan.warmup)
    text += fmt::format("  {:>8}  warm-ups ({} per cell, before the registered runs, discarded)\n", plan.warmup,
                        spec.design.warmup_runs);
  if (plan.search) text += fmt::format("  {:>8}  selection, at most\n", plan.search_runs);
  text += fmt::format("  {:>8}  {}\n", range(plan.registered), plan.search ? "confirmation" : "registered");
  if (plan.aa.most) text += fmt::format("  {:>8}  A/A: the control against itself (no evidence)\n", range(plan.aa));
  if (plan.repeats)
    text += fmt::format("  {:>8}  repeats of a run of the manipulation check, among the registered (no evidence)\n",
                        plan.repeats);
  text += fmt::format("  {:>8}  in all", range(plan.total));
  text += fmt::format("{}\n", spec.budget.runs ? fmt::format(", of {} in the budget", *spec.budget.runs) : "");
  if (session::of_models(spec)) text += fmt::format("\ncost: {}\n", printable(session::models_cost(spec)));
  if (spec.resources.timeout_s)
    text += fmt::format("{}at most {} of run time ({} × timeout); `etude try` measures one run\n",
                        session::of_models(spec) ? "      " : "\ncost: no model, no money; ",
                        prose::duration_text(*spec.resources.timeout_s * plan.total.most), plan.total.most);
  if (!plan.shortfall.empty()) text += fmt::format("\nbudget: {}\n", plan.shortfall);
}

std::string answers_text(const std::vector<kernel::PaidAnswers>& answers) {
  std::string text;
  for (const std::string& words : kernel::paid_answers_words(kernel::paid_answers_shape(answers)))
    text += "  " + printable(words) + "\n";
  return text.empty() ? "" : "\npaid before, by `etude ask`, and not in the study's budget:\n" + text;
}

struct PlanOptions {
  std::string study;
  int jobs = 0;
};

int plan(const Context& context, const PlanOptions& options) {
  const auto parsed = session::read_study(context.home(), options.study);
  if (!parsed) return fail(bad_input, parsed.problem());
  const memory::Blobs blobs(session::HomePaths{context.home()}.blobs());
  session::ModelRoles roles(context.config_option, context.home(), blobs);
  const std::string home = context.home();
  const session::PlanPlace place{home, *context.backend,
                                 [&](const kernel::StudySpec& spec) { return roles.missing(spec); }};
  const auto planned = session::planned_study(*parsed, options.study, place, options.jobs);
  if (!planned) return fail(bad_input, planned.problem());
  if (context.json) {
    print_json(session::plan_shape(*planned));
    return ok;
  }
  for (const kernel::Problem& warning : planned->warnings)
    fmt::print(stderr, "warning: {}\n", printable(warning.text()));
  std::string text;
  put_plan(text, planned->spec, planned->plan, planned->environment);
  put_time(text, planned->time);
  text += answers_text(planned->answers) + left_out_text(planned->ignored);
  print_text(wrapped_lines(text, standard_screen().width));
  return ok;
}

}  // namespace

std::string expected_duration(const kernel::Expected& seconds) {
  return expected_words({{"expected", seconds.value}, {"low", seconds.low}, {"high", seconds.high}});
}

std::string left_out_text(const kernel::IgnoredFiles& ignored) {
  constexpr std::size_t most_shown = 5;
  if (ignored.empty()) return "";
  std::string text = fmt::format("\nleft out of the workspace by .gitignore or .etudeignore: {}, {}\n",
                                 prose::counted(ignored.count, "entry"), prose::bytes_text(ignored.bytes));
  for (std::size_t i = 0; i < std::min(ignored.largest.size(), most_shown); ++i)
    text +=
        fmt::format("  {:>10}  {}\n", prose::bytes_text(ignored.largest[i].bytes), printable(ignored.largest[i].path));
  if (ignored.count > static_cast<std::int64_t>(most_shown))
    text += fmt::format("              and {} more\n", ignored.count - static_cast<std::int64_t>(most_shown));
  return text + fmt::format("  what runs need: add the line `!/{}` to .etudeignore there, or declare it under `data`\n",
                            printable(ignored.largest.front().path));
}

void add_plan(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "plan", "the design: commands, runs, power, time and cost; starts nothing", plan);
  needs_configuration(*verb, context);
  verb->add_option("STUDY", options->study, "the study file")->required();
  verb->add_option("-j,--jobs", options->jobs, "predict the time with this many runs at once (default: as `run`)")
      ->check(CLI::Range(1, 4096));
}

}  // namespace cli

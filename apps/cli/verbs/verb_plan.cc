#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/cli/verbs/verbs.h"
#include "apps/session/control/model_roles.h"
#include "apps/session/home/home.h"
#include "apps/session/prepare/prepare.h"
#include "apps/session/prepare/read_study.h"
#include "apps/session/prepare/run_history.h"
#include "executors/backend/backend.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "kernel/outlook/prediction.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/views/plan.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "memory/workspace/evaluator_files.h"
#include "memory/workspace/snapshot.h"
#include "programs/run_program.h"
#include "prose/numbers.h"
#include "studyfile/load.h"

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
  std::string text;
  for (const std::string& word : argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

nlohmann::json count_json(kernel::RunCount count) {
  return {{"min", count.least}, {"max", count.most}};
}

/// The purposes of the runs that a tier scores.
std::vector<std::string> scored_by(const kernel::StudySpec& spec, kernel::Tier tier) {
  std::vector<std::string> purposes;
  for (const kernel::Purpose purpose :
       {kernel::Purpose::registered, kernel::Purpose::smoke, kernel::Purpose::pilot, kernel::Purpose::scratch})
    if (kernel::tier_of(spec, purpose) == tier) purposes.emplace_back(kernel::name(purpose));
  return purposes;
}

void print_evaluations(const kernel::StudySpec& spec, const kernel::StudyPlan& plan) {
  for (const kernel::PlannedEvaluation& evaluation : plan.evaluations) {
    const kernel::TierSpec& tier = *spec.evaluator.tier(evaluation.tier);
    fmt::print("\nevaluator, {}: scores {} runs{}\n", kernel::name(evaluation.tier),
               fmt::join(scored_by(spec, evaluation.tier), ", "),
               evaluation.tier == kernel::Tier::test
                   ? fmt::format(", of at most {} {}", tier.looks, tier.looks == 1 ? "experiment" : "experiments")
                   : "");
    for (const std::vector<std::string>& command : evaluation.commands)
      fmt::print("  {}\n", printable(command_text(command)));
    for (const kernel::SealedPath& path : tier.data) fmt::print("  sealed: {}\n", printable(path.path));
  }
}

bool of_models(const kernel::StudySpec& spec) {
  return spec.agents != "builtin";
}

std::string models_cost(const kernel::StudySpec& spec) {
  return fmt::format("the agents of `{}` ask models, which may cost money: {}", printable(spec.agents),
                     spec.budget.usd ? fmt::format("at most {:g} usd (`budget.usd`)", *spec.budget.usd)
                                     : "`budget: {usd: …}` sets a limit, and there is none");
}

std::string margin_words(const kernel::Margin& margin) {
  const bool relative = margin.kind == kernel::Margin::Kind::relative;
  return relative ? fmt::format("{:.4g} %", 100 * margin.value) : fmt::format("{:.4g}", margin.value);
}

/// How long the plan's runs will take, if earlier runs say it.
struct PlannedTime {
  int jobs = 1;
  std::string basis;  ///< In words; why it is not known, if it is not.
  std::optional<kernel::Prediction> prediction;
};

PlannedTime planned_time(const Context& context, const kernel::StudySpec& spec, const kernel::StudyPlan& plan,
                         int jobs) {
  PlannedTime time;
  time.jobs = jobs;
  session::RunHistory history;
  try {
    history = session::run_history(context.home(), spec);
  } catch (const memory::StoreFault& fault) {
    // The design can be shown without it.
    time.basis = std::string("earlier runs cannot be read: ") + fault.what();
    return time;
  }
  if (history.times.empty()) {
    time.basis = "no run of these commands has ended in this home: `etude try` measures one";
    return time;
  }
  int gpus = static_cast<int>(context.backend->machine().gpus.size());
  for (const kernel::PlannedWork::Kind& kind : plan.most.kinds) gpus = std::max(gpus, kind.gpus);
  time.basis = kernel::basis_words(history.basis_for(plan.most));
  time.prediction =
      kernel::predicted(plan.least, plan.most, kernel::DurationModel(history.times), {time.jobs, gpus}, history.gap_s);
  return time;
}

void print_time(const PlannedTime& time) {
  if (!time.prediction) return fmt::print("\ntime: not known: {}\n", printable(time.basis));
  const kernel::Prediction& p = *time.prediction;
  fmt::print("\ntime of the runs with -j {}: {}\n  {}\n  {}\n", time.jobs, expected_duration(p.wall_s), time.basis,
             kernel::prediction_words);
  if (p.gpu_hours.high > 0)
    fmt::print("  GPU hours: {:.3g} ({:.3g} to {:.3g})\n", p.gpu_hours.value, p.gpu_hours.low, p.gpu_hours.high);
  if (p.joules) fmt::print("  energy: about {:.3g} J\n", *p.joules);
}

nlohmann::json plan_json(const kernel::StudySpec& spec, const kernel::StudyPlan& plan, const PlannedTime& time,
                         const std::optional<kernel::ProgramRecord>& environment,
                         const std::vector<kernel::Problem>& warnings, const kernel::IgnoredFiles& ignored) {
  const auto optional = [](const auto& value) { return value ? nlohmann::json(*value) : nlohmann::json(); };
  nlohmann::json hypotheses = nlohmann::json::array();
  for (const kernel::PlannedHypothesis& h : plan.hypotheses)
    hypotheses.push_back({{"id", h.hypothesis.id},
                          {"statement", h.hypothesis.statement},
                          {"derived", h.derived},
                          {"metric", h.hypothesis.metric},
                          {"direction", kernel::name(h.hypothesis.direction)},
                          {"treatment", h.hypothesis.treatment},
                          {"control", h.hypothesis.control},
                          {"where", h.hypothesis.where},
                          {"cells", {h.treatment_cells, h.control_cells}},
                          {"replicates", count_json(h.replicates)},
                          {"power", {{"min", optional(h.power_least)}, {"max", optional(h.power_most)}}},
                          {"note", h.note}});
  nlohmann::json cells = nlohmann::json::array();
  for (const kernel::PlannedCell& cell : plan.cells)
    cells.push_back({{"stage", cell.stage.empty() ? nlohmann::json() : nlohmann::json(cell.stage)},
                     {"factors", cell.cell},
                     {"command", cell.command}});
  nlohmann::json evaluations = nlohmann::json::array();
  for (const kernel::PlannedEvaluation& evaluation : plan.evaluations) {
    nlohmann::json data = nlohmann::json::array();
    const kernel::TierSpec& tier = *spec.evaluator.tier(evaluation.tier);
    for (const kernel::SealedPath& path : tier.data) data.push_back(path.path);
    evaluations.push_back({{"tier", kernel::name(evaluation.tier)},
                           {"scores", scored_by(spec, evaluation.tier)},
                           {"commands", evaluation.commands},
                           {"data", std::move(data)}});
    if (evaluation.tier == kernel::Tier::test) evaluations.back()["looks"] = tier.looks;
  }
  nlohmann::json warning_texts = nlohmann::json::array();
  for (const kernel::Problem& warning : warnings) warning_texts.push_back(warning.text());
  const kernel::Resources& r = spec.resources;
  nlohmann::json looks = nlohmann::json::array();
  for (const kernel::PlannedLook& look : plan.looks) looks.push_back({{"at", look.share}, {"level", look.level}});
  nlohmann::json document = {
      {"title", spec.title},
      {"question", spec.question},
      {"family", plan.family},
      {"alpha", spec.design.alpha},
      {"looks", std::move(looks)},
      {"hypotheses", hypotheses},
      {"smallest_effect_undeclared", plan.undeclared},
      {"cells", cells},
      {"evaluator", evaluations},
      {"seeds", plan.seeds},
      {"runs",
       {{"smoke", plan.smoke},
        {"pilot", plan.pilot},
        {"aa", count_json(plan.aa)},
        {"repeat", plan.repeats},
        {"warmup", plan.warmup},
        {"search", plan.search_runs},
        {"registered", count_json(plan.registered)},
        {"total", count_json(plan.total)}}},
      {"cost",
       {{"usd", of_models(spec) ? nlohmann::json() : nlohmann::json(0)},
        {"jobs", time.jobs},
        {"wall_s", time.prediction ? expected_json(time.prediction->wall_s) : nlohmann::json()},
        {"run_s", time.prediction ? expected_json(time.prediction->run_s) : nlohmann::json()},
        {"gpu_hours", time.prediction ? expected_json(time.prediction->gpu_hours) : nlohmann::json()},
        {"energy_j", time.prediction ? optional(time.prediction->joules) : nlohmann::json()},
        {"basis", time.basis},
        {"wall_s_at_most", r.timeout_s ? nlohmann::json(*r.timeout_s * plan.total.most) : nlohmann::json()},
        {"note", (of_models(spec) ? models_cost(spec) + "; " : "") +
                     "wall time is runs × timeout at the worst with -j 1; `etude try` measures one run"}}},
      {"budget",
       {{"runs", optional(spec.budget.runs)},
        {"wall_s", optional(spec.budget.wall_s)},
        {"shortfall", plan.shortfall.empty() ? nlohmann::json() : nlohmann::json(plan.shortfall)}}},
      {"environment",
       {{"use", spec.environment.use},
        {"path", environment && !environment->path.empty() ? nlohmann::json(environment->path) : nlohmann::json()},
        {"found", environment ? nlohmann::json(environment->version) : nlohmann::json()}}},
      {"left_out", left_out_json(ignored)},
      {"warnings", warning_texts}};
  if (kernel::in_blocks(spec))
    document["blocks"] = {
        {"factors", spec.design.blocks}, {"count", kernel::block_count(spec)}, {"df", kernel::block_count(spec) - 1}};
  document["kind"] = plan.search ? (spec.kind == kernel::StudyKind::screen ? "screen" : "optimize") : "test";
  document["search"] =
      plan.search ? kernel::search_plan_shape(*plan.search, kernel::wording_version) : nlohmann::json();
  return document;
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n    "));
}

std::string words_of_objective(const kernel::SearchPlan& search) {
  return search.objectives.empty() ? search.metric
                                   : fmt::format("{} and {}", search.metric, search.objectives[1].metric);
}

void print_search(const kernel::SearchPlan& search) {
  const bool modelled = search.design == kernel::SearchDesign::model;
  fmt::print("{}: {}, {} {}; selection by {}, never a verdict\n", search.registered.experiment,
             kernel::design_words(search), search.registered.cells.size(), modelled ? "first candidates" : "cells",
             words_of_objective(search));
  if (!search.generators.empty()) fmt::print("  generators\n    {}\n", joined(search.generators));
  if (!search.aliases.empty())
    fmt::print("  aliases (effects on one line cannot be told apart; nothing is claimed about them)\n    {}\n",
               joined(search.aliases));
  if (search.baseline)
    fmt::print("  {}: {}\n",
               search.code ? "the person's own"
               : modelled  ? "baseline"
                           : "baseline, in every rung",
               words(*search.baseline));
  if (modelled) fmt::print("  most runs: {}\n", kernel::runs_of(search.rungs));
  for (std::size_t i = 0; i < search.rungs.size() && !search.code && !modelled; ++i) {
    const kernel::Rung& rung = search.rungs[i];
    fmt::print("  rung {}: {}{} {}, {} each{}\n", i + 1, rung.refines ? "refinement, at most " : "", rung.candidates,
               search.baseline ? "candidates" : "cells", prose::counted(rung.replicates, "replicate"),
               rung.fidelity.empty() ? "" : fmt::format(", {}={}", search.fidelity, rung.fidelity));
  }
  fmt::print("  {}\n  confirmation: {} against {}, {} fresh replicates in every cell\n\n",
             kernel::newest_words(search.rule), search.top == 1 ? "the best" : fmt::format("the best {}", search.top),
             search.code       ? "the person's own"
             : search.baseline ? "the baseline"
                               : "their other level",
             search.confirm_most > 0 ? fmt::format("{} to {}", search.confirm_replicates, search.confirm_most)
                                     : std::to_string(search.confirm_replicates));
}

void print_plan(const kernel::StudySpec& spec, const kernel::StudyPlan& plan,
                const std::optional<kernel::ProgramRecord>& environment) {
  fmt::print("{}\n{}\n\n", printable(spec.title), printable(spec.question));
  if (plan.search) print_search(*plan.search);
  fmt::print("hypotheses: a family of {} at alpha {}{}\n", plan.family, spec.design.alpha,
             plan.search ? ", of what is selected" : "");
  if (spec.agents != "builtin" && spec.hypotheses.empty() && !plan.search)
    fmt::print("  the agents of `{}` propose them; without them these would be derived:\n", spec.agents);
  if (kernel::in_blocks(spec))
    fmt::print("  unit: block ({}); {} degrees of freedom\n", printable(kernel::blocks_words(spec)),
               kernel::block_count(spec) - 1);
  for (const kernel::PlannedHypothesis& h : plan.hypotheses) {
    fmt::print("  {}  {}{}\n", h.hypothesis.id, printable(h.hypothesis.statement), h.derived ? "  (derived)" : "");
    if (h.hypothesis.kind == kernel::HypothesisKind::slope)
      fmt::print("      slope of {} along {}{}: {} cells", h.hypothesis.metric, h.hypothesis.along, held(h.hypothesis),
                 h.treatment_cells);
    else
      fmt::print("      {} of {} against {}: {} + {} cells", h.hypothesis.metric, words(h.hypothesis.treatment),
                 words(h.hypothesis.control), h.treatment_cells, h.control_cells);
    if (!h.hypothesis.steps.empty())
      fmt::print(", {} along {} ({})",
                 h.hypothesis.kind == kernel::HypothesisKind::interaction ? "interaction" : "crossover",
                 h.hypothesis.along, fmt::join(h.hypothesis.steps, ", "));
    fmt::print(", {} each\n", replicates(h.replicates));
    for (const kernel::Requirement& required : h.hypothesis.requirements)
      fmt::print("      requires {}: {}{}\n", required.metric, kernel::name(required.direction),
                 required.margin ? " by " + margin_words(*required.margin) : "");
    if (!h.note.empty()) fmt::print("      {}\n", h.note);
  }
  if (!plan.undeclared.empty())
    fmt::print(
        "  {} without a declared smallest effect: if there is no effect, the verdict stays inconclusive;\n"
        "  say which effect would matter: `smallest_effect: {{absolute: …}}` in the metric's unit, or `{{relative: "
        "…}}`\n",
        fmt::join(plan.undeclared, ", "));
  if (const auto& planted = spec.design.planted)
    fmt::print("planted, beside the family: {} of {} against {}\n", planted->metric, words(planted->treatment),
               words(planted->control));
  if (spec.design.looks && spec.design.looks->anytime) {
    // The first look at the last pair is a test at the end, for which a confidence sequence is too wide.
    if (plan.looks.size() < 2)
      fmt::print(
          "\nno look before the end, {} pairs: a fixed number of replicates without `looks` needs fewer of them\n",
          spec.design.replicates_max);
    else
      fmt::print("\nlooks after every pair from {} on, by a confidence sequence; what is clear gets no more runs\n",
                 std::max(4, spec.design.replicates_min));
    fmt::print("  a failed run of a hypothesis leaves it without a verdict and ends its runs\n");
  } else if (!plan.looks.empty()) {
    fmt::print("\nlooks, and the level that a one-sided test has there in a family of {}\n", plan.family);
    for (const kernel::PlannedLook& look : plan.looks)
      fmt::print("  at {:.4g} % of the replicates: {:.3g}\n", 100 * look.share, look.level);
    if (spec.design.looks->futility) fmt::print("  what has hardly a chance left stops, too\n");
  }
  const std::string seeds = spec.seeds == kernel::SeedRule::drawn ? "drawn at registration"
                            : plan.seeds.empty()                  ? "one per run"
                                                                  : std::to_string(plan.seeds.front()) + " …";
  fmt::print("\ncommands (one per cell{}; seeds {})\n", spec.stages.empty() ? "" : " and stage", seeds);
  std::map<std::string, int> times;
  for (const kernel::PlannedCell& cell : plan.cells) ++times[command_text(cell.command)];
  for (const kernel::PlannedCell& cell : plan.cells) {
    const std::string command = command_text(cell.command);
    const std::string stage =
        spec.stages.empty() ? "" : (cell.stage.empty() ? spec.stages.back().name : cell.stage) + ": ";
    fmt::print("  {}{}{}\n", stage, printable(command), times[command] > 1 ? "  # " + words(cell.cell) : "");
  }
  if (environment)
    fmt::print("\nprograms: {}\n", environment->path.empty()
                                       ? environment->version + "; run once when the study starts"
                                       : printable(environment->version + ", " + environment->path));
  print_evaluations(spec, plan);
  fmt::print("\nruns\n");
  if (plan.smoke) fmt::print("  {:>8}  manipulation check (each factor and the seed flipped once)\n", plan.smoke);
  if (plan.pilot)
    fmt::print("  {:>8}  pilot ({} per cell, own seeds, discarded as evidence)\n", plan.pilot, spec.design.pilot);
  if (plan.warmup)
    fmt::print("  {:>8}  warm-ups ({} per cell, before the registered runs, discarded)\n", plan.warmup,
               spec.design.warmup_runs);
  if (plan.search) fmt::print("  {:>8}  selection, at most\n", plan.search_runs);
  fmt::print("  {:>8}  {}\n", range(plan.registered), plan.search ? "confirmation" : "registered");
  if (plan.aa.most) fmt::print("  {:>8}  A/A: the control against itself (no evidence)\n", range(plan.aa));
  if (plan.repeats)
    fmt::print("  {:>8}  repeats of a run of the manipulation check, among the registered (no evidence)\n",
               plan.repeats);
  fmt::print("  {:>8}  in all", range(plan.total));
  fmt::print("{}\n", spec.budget.runs ? fmt::format(", of {} in the budget", *spec.budget.runs) : "");
  if (of_models(spec)) fmt::print("\ncost: {}\n", models_cost(spec));
  if (spec.resources.timeout_s)
    fmt::print("{}at the very worst {:.0f} s of run time ({} × timeout); `etude try` measures one run\n",
               of_models(spec) ? "      " : "\ncost: no model, no money; ", *spec.resources.timeout_s * plan.total.most,
               plan.total.most);
  if (!plan.shortfall.empty()) fmt::print("\nbudget: {}\n", plan.shortfall);
}

/// What the code and the command say about seeds, before a run shows it.
std::vector<kernel::Problem> seed_warnings(const kernel::StudySpec& spec, const std::string& file,
                                           const memory::WorkspaceSurvey& use) {
  std::vector<kernel::Problem> warnings;
  if (std::ranges::all_of(spec.metrics, [](const kernel::Metric& m) { return m.deterministic; })) return warnings;
  // Such a command writes the seed into its copy of the code; the smoke runs show whether that has an effect.
  const bool edits_code = std::ranges::any_of(spec.run.words, [](const std::string& word) {
    return word.find("sed -i") != word.npos && word.find("{seed}") != word.npos;
  });
  for (const std::string& pin : edits_code ? std::vector<std::string>() : use.pins)
    warnings.push_back({file, 0, "workspace", pin + " sets a seed to a constant",
                        "let it take the run's seed (`{seed}` in the command, or ETUDE_SEED): replicates would be "
                        "copies of one run"});
  if (!spec.passes_seed() && !use.reads_variable)
    warnings.push_back({file, 0, "run", "no seed enters the command",
                        "pass `{seed}` to it, or let the code read ETUDE_SEED; declare metrics that no seed changes "
                        "`deterministic: true`"});
  return warnings;
}

/// Without a license nobody else may use what the artifact has.
std::optional<kernel::Problem> missing_license(const kernel::StudySpec& spec, const std::string& file) {
  const kernel::Publication& terms = spec.publication;
  std::string without;
  for (const auto& [license, what] : {std::pair(&terms.license, "results"), {&terms.code_license, "code"}})
    if (license->empty()) without += (without.empty() ? "" : ", ") + std::string(what);
  if (!spec.data.empty() && terms.data_license.empty()) without += (without.empty() ? "" : ", ") + std::string("data");
  if (without.empty()) return std::nullopt;
  return kernel::Problem{file, 0, "license", "none is stated for " + without + ", so nobody else may use them",
                         "write `license: CC-BY-4.0`, or `license: {study: CC-BY-4.0, code: Apache-2.0, data: …}`, if "
                         "the artifact is to be published"};
}

/// What the study needs and this machine, or the configuration, does not have.
std::vector<kernel::Problem> lacking(const Context& context, const kernel::StudySpec& spec) {
  std::vector<kernel::Problem> all =
      context.backend->missing_programs(executors::query_of(spec), programs::own_environment());
  int gpus = spec.resources.gpus;
  for (const kernel::StageSpec& stage : spec.stages) gpus = std::max(gpus, stage.resources.gpus);
  if (gpus > 0)
    if (const auto here = static_cast<std::int64_t>(context.backend->machine().gpus.size()); here < gpus)
      all.push_back({"", 0, "resources.gpus",
                     fmt::format("runs need {}, and this machine has {}", prose::counted(gpus, "GPU"),
                                 here == 0 ? "none" : std::to_string(here)),
                     "run the study where they are, or ask for fewer"});
  if (auto weaker = session::weaker_walls(*context.backend, spec, programs::own_environment()))
    all.push_back(std::move(*weaker));
  const memory::Blobs blobs(session::HomePaths{context.home()}.blobs());
  if (auto missing = session::ModelRoles(context.config_option, context.home(), blobs).missing(spec))
    all.push_back(std::move(*missing));
  for (kernel::Problem& problem : all)
    if (problem.file.empty()) problem.file = spec.file;
  return all;
}

struct PlanOptions {
  std::string study;
  int jobs = 0;
};

int plan(const Context& context, const PlanOptions& options) {
  const std::string& path = options.study;
  const auto parsed = session::read_study(context.home(), path);
  if (!parsed) return fail(bad_input, parsed.problem());
  if (const auto problem = memory::check_protection(parsed->spec, context.home())) return fail(bad_input, *problem);
  const int jobs = options.jobs > 0 ? options.jobs : session::default_jobs(context.backend->cores(), parsed->spec);
  const kernel::StudyPlan plan = kernel::plan_of(parsed->spec, jobs);
  std::vector<kernel::Problem> warnings = parsed->warnings;
  kernel::WorkspaceSpec seen = parsed->spec.workspace;
  for (std::string& pattern : memory::sealed_patterns(parsed->spec)) seen.exclude.push_back(std::move(pattern));
  const memory::WorkspaceSurvey survey = memory::survey(seen, context.home());
  for (kernel::Problem& warning : seed_warnings(parsed->spec, path, survey)) warnings.push_back(std::move(warning));
  for (kernel::Problem& warning : lacking(context, parsed->spec)) warnings.push_back(std::move(warning));
  if (auto warning = missing_license(parsed->spec, path)) warnings.push_back(std::move(*warning));
  const auto environment =
      context.backend->named_environment(executors::query_of(parsed->spec), programs::own_environment());
  const PlannedTime time = planned_time(context, parsed->spec, plan, jobs);
  if (context.json) {
    print_json(plan_json(parsed->spec, plan, time, environment, warnings, survey.ignored));
    return ok;
  }
  for (const kernel::Problem& warning : warnings) fmt::print(stderr, "warning: {}\n", printable(warning.text()));
  print_plan(parsed->spec, plan, environment);
  print_time(time);
  fmt::print("{}", left_out_text(survey.ignored));
  return ok;
}

}  // namespace

std::string expected_duration(const kernel::Expected& seconds) {
  return fmt::format("{} ({} to {})", prose::duration_text(seconds.value), prose::duration_text(seconds.low),
                     prose::duration_text(seconds.high));
}

nlohmann::json expected_json(const kernel::Expected& expected) {
  return {{"expected", expected.value}, {"low", expected.low}, {"high", expected.high}};
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

nlohmann::json left_out_json(const kernel::IgnoredFiles& ignored) {
  nlohmann::json largest = nlohmann::json::array();
  for (const kernel::IgnoredEntry& entry : ignored.largest)
    largest.push_back({{"path", entry.path}, {"bytes", entry.bytes}});
  return {{"count", ignored.count}, {"bytes", ignored.bytes}, {"largest", std::move(largest)}};
}

void add_plan(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "plan", "the design: commands, runs, power, time and cost; starts nothing", plan);
  verb->add_option("STUDY", options->study, "the study file")->required();
  verb->add_option("-j,--jobs", options->jobs, "predict the time with this many runs at once (default: as `run`)")
      ->check(CLI::Range(1, 4096));
}

}  // namespace cli

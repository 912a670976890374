#include "apps/session/plan/planned_study.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/session/prepare/prepare.h"
#include "apps/session/prepare/run_history.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/views/models_shape.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "memory/store/reader.h"
#include "memory/workspace/evaluator_files.h"
#include "memory/workspace/paid_answers.h"
#include "memory/workspace/snapshot.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace session {

namespace {

using nlohmann::json;

template <typename Value>
json or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json();
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
                        "let it take the run's seed (`{seed}` in the command, or ETUDE_SEED): if nothing else does, "
                        "replicates would be copies of one run"});
  if (!spec.passes_seed() && !use.reads_variable)
    warnings.push_back({file, 0, "run", "no seed enters the command",
                        "pass `{seed}` to it, or let the code read ETUDE_SEED; declare metrics that no seed changes "
                        "`deterministic: true`"});
  return warnings;
}

/// Without a license others may not use what the artifact has.
std::optional<kernel::Problem> missing_license(const kernel::StudySpec& spec, const std::string& file) {
  const kernel::Publication& terms = spec.publication;
  std::string without;
  for (const auto& [license, what] : {std::pair(&terms.license, "results"), {&terms.code_license, "code"}})
    if (license->empty()) without += (without.empty() ? "" : ", ") + std::string(what);
  if (!spec.data.empty() && terms.data_license.empty()) without += (without.empty() ? "" : ", ") + std::string("data");
  if (without.empty()) return std::nullopt;
  return kernel::Problem{file, 0, "license", "none is stated for " + without + "; without one, others may not use them",
                         "write `license: CC-BY-4.0`, or `license: {study: CC-BY-4.0, code: Apache-2.0, data: …}`, if "
                         "the artifact is to be published"};
}

/// What the study needs and this machine, or the configuration, does not have.
std::vector<kernel::Problem> lacking(const PlanPlace& place, const kernel::StudySpec& spec) {
  std::vector<kernel::Problem> all =
      place.backend.missing_programs(executors::query_of(spec), programs::own_environment());
  int gpus = spec.resources.gpus;
  for (const kernel::StageSpec& stage : spec.stages) gpus = std::max(gpus, stage.resources.gpus);
  if (gpus > 0)
    if (const auto here = static_cast<std::int64_t>(place.backend.machine().gpus.size()); here < gpus)
      all.push_back({"", 0, "resources.gpus",
                     fmt::format("runs need {}, and this machine has {}", prose::counted(gpus, "GPU"),
                                 here == 0 ? "none" : std::to_string(here)),
                     "run the study where they are, or ask for fewer"});
  if (auto weaker = weaker_walls(place.backend, spec, programs::own_environment())) all.push_back(std::move(*weaker));
  if (auto missing = place.missing_models(spec)) all.push_back(std::move(*missing));
  for (kernel::Problem& problem : all)
    if (problem.file.empty()) problem.file = spec.file;
  return all;
}

json evaluations_shape(const PlannedStudy& planned) {
  json evaluations = json::array();
  for (const kernel::PlannedEvaluation& evaluation : planned.plan.evaluations) {
    json data = json::array();
    const kernel::TierSpec& tier = *planned.spec.evaluator.tier(evaluation.tier);
    for (const kernel::SealedPath& path : tier.data) data.push_back(path.path);
    evaluations.push_back({{"tier", kernel::name(evaluation.tier)},
                           {"scores", scored_by(planned.spec, evaluation.tier)},
                           {"commands", evaluation.commands},
                           {"data", std::move(data)}});
    if (evaluation.tier == kernel::Tier::test) evaluations.back()["looks"] = tier.looks;
  }
  return evaluations;
}

json runs_shape(const kernel::StudyPlan& plan) {
  return {{"smoke", plan.smoke},
          {"pilot", plan.pilot},
          {"aa", count_shape(plan.aa)},
          {"repeat", plan.repeats},
          {"warmup", plan.warmup},
          {"search", plan.search_runs},
          {"registered", count_shape(plan.registered)},
          {"total", count_shape(plan.total)}};
}

json cost_shape(const PlannedStudy& planned) {
  const kernel::Resources& r = planned.spec.resources;
  json cost = time_shape(planned.time);
  cost["usd"] = of_models(planned.spec) ? json() : json(0);
  cost["wall_s_at_most"] = r.timeout_s ? json(*r.timeout_s * planned.plan.total.most) : json();
  cost["note"] = (of_models(planned.spec) ? models_cost(planned.spec) + "; " : "") +
                 "wall time is at most runs × timeout with -j 1; `etude try` measures one run";
  if (!planned.answers.empty()) cost["answers"] = kernel::paid_answers_shape(planned.answers);
  return cost;
}

}  // namespace

bool of_models(const kernel::StudySpec& spec) {
  return spec.agents != "builtin";
}

std::string models_cost(const kernel::StudySpec& spec) {
  return fmt::format("the agents of `{}` ask models, which may cost money: {}", spec.agents,
                     spec.budget.usd ? fmt::format("at most {:g} usd (`budget.usd`)", *spec.budget.usd)
                                     : "`budget: {usd: …}` sets a limit, and there is none");
}

std::vector<std::string> scored_by(const kernel::StudySpec& spec, kernel::Tier tier) {
  std::vector<std::string> purposes;
  for (const kernel::Purpose purpose :
       {kernel::Purpose::registered, kernel::Purpose::smoke, kernel::Purpose::pilot, kernel::Purpose::scratch})
    if (kernel::tier_of(spec, purpose) == tier) purposes.emplace_back(kernel::name(purpose));
  return purposes;
}

PlannedTime planned_time(const kernel::StudySpec& spec, const kernel::PlannedWork& least,
                         const kernel::PlannedWork& most, const PlanPlace& place, int jobs) {
  PlannedTime time;
  time.jobs = jobs;
  RunHistory history;
  try {
    history = run_history(place.home, spec);
  } catch (const memory::StoreFault& fault) {
    // The design can be shown without it.
    time.basis = std::string("earlier runs cannot be read: ") + fault.what();
    return time;
  }
  if (history.times.empty()) {
    time.basis = "no run of these commands has ended in this home: `etude try` measures one";
    return time;
  }
  int gpus = static_cast<int>(place.backend.machine().gpus.size());
  for (const kernel::PlannedWork::Kind& kind : most.kinds) gpus = std::max(gpus, kind.gpus);
  time.basis = kernel::basis_words(history.basis_for(most));
  time.prediction =
      kernel::predicted(least, most, kernel::DurationModel(history.times), {time.jobs, gpus}, history.gap_s);
  return time;
}

kernel::Result<PlannedStudy> planned_study(const studyfile::Parsed& parsed, const std::string& file,
                                           const PlanPlace& place, int jobs) {
  PlannedStudy planned;
  planned.spec = parsed.spec;
  if (const auto problem = memory::check_protection(planned.spec, place.home)) return *problem;
  if (jobs <= 0) jobs = default_jobs(place.backend.cores(), planned.spec);
  planned.plan = kernel::plan_of(planned.spec, jobs);
  planned.warnings = parsed.warnings;
  kernel::WorkspaceSpec seen = planned.spec.workspace;
  for (std::string& pattern : memory::sealed_patterns(planned.spec)) seen.exclude.push_back(std::move(pattern));
  memory::WorkspaceSurvey survey = memory::survey(seen, place.home);
  for (kernel::Problem& warning : seed_warnings(planned.spec, file, survey))
    planned.warnings.push_back(std::move(warning));
  for (kernel::Problem& warning : lacking(place, planned.spec)) planned.warnings.push_back(std::move(warning));
  if (auto warning = missing_license(planned.spec, file)) planned.warnings.push_back(std::move(*warning));
  planned.ignored = std::move(survey.ignored);
  planned.answers = memory::paid_answers(planned.spec, planned.spec.workspace.path, survey.files);
  planned.environment = place.backend.named_environment(executors::query_of(planned.spec), programs::own_environment());
  planned.time = planned_time(planned.spec, planned.plan.least, planned.plan.most, place, jobs);
  return planned;
}

json count_shape(kernel::RunCount count) {
  return {{"min", count.least}, {"max", count.most}};
}

json expected_shape(const kernel::Expected& expected) {
  return {{"expected", expected.value}, {"low", expected.low}, {"high", expected.high}};
}

json left_out_shape(const kernel::IgnoredFiles& ignored) {
  json largest = json::array();
  for (const kernel::IgnoredEntry& entry : ignored.largest)
    largest.push_back({{"path", entry.path}, {"bytes", entry.bytes}});
  return {{"count", ignored.count}, {"bytes", ignored.bytes}, {"largest", std::move(largest)}};
}

json time_shape(const PlannedTime& time) {
  const auto& known = time.prediction;
  return {{"jobs", time.jobs},
          {"wall_s", known ? expected_shape(known->wall_s) : json()},
          {"run_s", known ? expected_shape(known->run_s) : json()},
          {"gpu_hours", known ? expected_shape(known->gpu_hours) : json()},
          {"energy_j", known ? or_null(known->joules) : json()},
          {"basis", time.basis}};
}

json planned_hypotheses_shape(const kernel::StudyPlan& plan) {
  json hypotheses = json::array();
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
                          {"replicates", count_shape(h.replicates)},
                          {"power", {{"min", or_null(h.power_least)}, {"max", or_null(h.power_most)}}},
                          {"note", h.note}});
  return hypotheses;
}

json planned_cells_shape(const kernel::StudyPlan& plan) {
  json cells = json::array();
  for (const kernel::PlannedCell& cell : plan.cells)
    cells.push_back(
        {{"stage", cell.stage.empty() ? json() : json(cell.stage)}, {"factors", cell.cell}, {"command", cell.command}});
  return cells;
}

json plan_shape(const PlannedStudy& planned) {
  const kernel::StudySpec& spec = planned.spec;
  const kernel::StudyPlan& plan = planned.plan;
  json warnings = json::array();
  for (const kernel::Problem& warning : planned.warnings) warnings.push_back(warning.text());
  json looks = json::array();
  for (const kernel::PlannedLook& look : plan.looks) looks.push_back({{"at", look.share}, {"level", look.level}});
  const auto& environment = planned.environment;
  json document = {{"title", spec.title},
                   {"question", spec.question},
                   {"family", plan.family},
                   {"alpha", spec.design.alpha},
                   {"looks", std::move(looks)},
                   {"hypotheses", planned_hypotheses_shape(plan)},
                   {"smallest_effect_undeclared", plan.undeclared},
                   {"cells", planned_cells_shape(plan)},
                   {"evaluator", evaluations_shape(planned)},
                   {"seeds", plan.seeds},
                   {"runs", runs_shape(plan)},
                   {"cost", cost_shape(planned)},
                   {"budget",
                    {{"runs", or_null(spec.budget.runs)},
                     {"wall_s", or_null(spec.budget.wall_s)},
                     {"shortfall", plan.shortfall.empty() ? json() : json(plan.shortfall)}}},
                   {"environment",
                    {{"use", spec.environment.use},
                     {"path", environment && !environment->path.empty() ? json(environment->path) : json()},
                     {"found", environment ? json(environment->version) : json()}}},
                   {"left_out", left_out_shape(planned.ignored)},
                   {"warnings", std::move(warnings)}};
  if (kernel::in_blocks(spec))
    document["blocks"] = {
        {"factors", spec.design.blocks}, {"count", kernel::block_count(spec)}, {"df", kernel::block_count(spec) - 1}};
  document["kind"] = plan.search ? (spec.kind == kernel::StudyKind::screen ? "screen" : "optimize") : "test";
  document["search"] = plan.search ? kernel::search_plan_shape(*plan.search, kernel::wording_version) : json();
  return document;
}

}  // namespace session

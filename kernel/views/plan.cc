#include "kernel/views/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/evidence/blocks.h"
#include "kernel/runs/command_line.h"
#include "kernel/runs/job.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/sizing/interim_looks.h"
#include "kernel/sizing/sizing.h"
#include "kernel/study/ledger.h"
#include "kernel/study/search_scores.h"
#include "kernel/verdicts/repeated_smoke.h"
#include "kernel/views/json_parts.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace kernel {

namespace {

Study proposed(const StudySpec& spec) {
  Study study;
  study.id = "plan";
  study.spec = spec;
  for (const Hypothesis& h : spec.hypotheses.empty() ? derived_hypotheses(spec) : spec.hypotheses)
    study.hypotheses.push_back({h, 1, false, "", std::nullopt});
  study.family = spec.design.family.value_or(static_cast<int>(study.hypotheses.size()));
  return study;
}

PlannedHypothesis planned(const StudySpec& spec, int family, const Hypothesis& h) {
  PlannedHypothesis plan;
  plan.hypothesis = h;
  plan.derived = spec.hypotheses.empty();
  for (const Cell& cell : cells_of(spec, h)) {
    if (h.has_arms() && matches(cell, h.control))
      ++plan.control_cells;
    else
      ++plan.treatment_cells;
  }
  const Design& design = spec.design;
  plan.replicates = {design.replicates_min, design.replicates_max};
  const Size size = size_of(spec, h, family, {});
  plan.note = newest_words(size.record.how);
  plan.refused = size.refused;
  if (!needs_pilot(spec, h)) plan.replicates = {size.record.replicates, size.record.replicates};
  plan.power_least = achieved_power(spec, h, family, {}, plan.replicates.least);
  plan.power_most = achieved_power(spec, h, family, {}, plan.replicates.most);
  return plan;
}

struct Count {
  int registered = 0, aa = 0;
  std::vector<PlannedLook> looks;
  PlannedWork work;
};

/// The runs with their cells as documents show them.
void add(PlannedWork& work, const std::string& part, RunsQueued queued, const StudySpec& spec) {
  for (Cell& cell : queued.cells) cell = shown_cell(cell_shape(spec, cell));
  work.add(part, queued, spec);
}

std::vector<PlannedLook> looks_in(const Registration& registration) {
  std::vector<PlannedLook> list;
  LookAt look;
  std::vector<double> shares = looks_of(registration);
  if (!shares.empty()) shares.push_back(1);
  for (const double share : shares) {
    look.fractions.push_back(share);
    list.push_back({share, level_at(look, registration.alpha / registration.family, stats::Sides::one)});
  }
  return list;
}

/// Runs of the registration if every hypothesis gets its least or most replicates, and nothing stops early. `before`:
/// the runs before them.
Count registered_count(Study study, const StudyPlan& plan, const std::vector<HypothesisId>& ids, bool most,
                       const PlannedWork& before) {
  study.sized.emplace();
  for (const PlannedHypothesis& h : plan.hypotheses)
    study.sized->sizes.push_back(
        {h.hypothesis.id, most ? h.replicates.most : h.replicates.least, std::nullopt, std::nullopt, {}});
  const Registration registration = registration_of(study, ids, planning_draw());
  Count count{0, 0, looks_in(registration), before};
  RunsQueued runs = registered_runs(study, registration);
  for (const PlannedRun& run : runs.runs) ++(run.aa ? count.aa : count.registered);
  add(count.work, "registered", warmup_runs(study, registration), study.spec);
  add(count.work, "registered", std::move(runs), study.spec);
  return count;
}

std::vector<std::string> command(const StudySpec& spec, const CommandTemplate& template_, const Cell& cell,
                                 const std::string& stage, const std::uint64_t* seed) {
  std::map<std::string, std::string> values = placeholder_values(spec, cell, seed ? *seed : 0, stage);
  if (!seed) values["seed"] = "SEED";
  values["run_dir"] = "/etude/out";
  values["port"] = "PORT";
  for (const DataSpec& data : spec.data) values["data." + data.name] = "/etude/data/" + data.name;
  for (const StageSpec& earlier : spec.stages)
    for (const StageOutput& output : earlier.outputs) {
      const std::string name = earlier.name + "." + output.name;
      values[name] = "/etude/data/" + name + "/" + output.path.substr(output.path.rfind('/') + 1);
    }
  return substitute(template_, values);
}

/// The commands of the first replicate. Seeds that are drawn later are shown as SEED.
std::vector<PlannedCell> commands(const StudySpec& spec, const std::vector<Cell>& cells, const Registration& r) {
  std::vector<PlannedCell> list;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Cell& cell = cells[c];
    const std::uint64_t* seed = registered_seed(r, c, 1);
    if (!seed && !r.seeds.empty()) seed = &r.seeds.front();
    if (spec.seeds == SeedRule::drawn) seed = nullptr;
    for (const StageSpec& stage : spec.stages) {
      if (&stage == &spec.stages.back()) break;
      Cell part = stage_cell(spec, stage, cell);
      const auto known = [&](const PlannedCell& p) { return p.stage == stage.name && p.cell == part; };
      if (std::ranges::any_of(list, known)) continue;
      std::vector<std::string> words = command(spec, stage.run, part, stage.name, seed);
      list.push_back({stage.name, std::move(part), std::move(words)});
    }
    list.push_back({"", cell, command(spec, spec.run, cell, "", seed)});
  }
  return list;
}

std::vector<PlannedEvaluation> evaluations(const StudySpec& spec, const std::vector<Cell>& cells) {
  std::vector<PlannedEvaluation> list;
  for (const Tier tier : {Tier::validation, Tier::test}) {
    const TierSpec* own = spec.evaluator.tier(tier);
    if (!own) continue;
    PlannedEvaluation planned{tier, {}};
    for (const Cell& cell : cells) {
      std::vector<std::string> words = command(spec, own->command, cell, "", nullptr);
      if (std::ranges::find(planned.commands, words) == planned.commands.end())
        planned.commands.push_back(std::move(words));
    }
    list.push_back(std::move(planned));
  }
  return list;
}

std::vector<std::uint64_t> first_seeds(const StudySpec& spec, const Registration& r) {
  if (spec.seeds == SeedRule::drawn) return {};
  return {r.seeds.begin(), r.seeds.begin() + std::min<std::ptrdiff_t>(std::ssize(r.seeds), 5)};
}

/// The runs of a search and of its confirmation. Which candidates are kept is not known, only at which fidelity they
/// run.
void add_search(PlannedWork& work, const SearchPlan& search, const StudySpec& spec, std::int64_t runs,
                std::int64_t confirmation) {
  const auto kind_at = [&](const std::string& fidelity) {
    Cell cell;
    if (!search.fidelity.empty() && !fidelity.empty()) cell[search.fidelity] = fidelity;
    return PlannedWork::Kind{"", shown_cell(cell_shape(spec, cell)), spec.resources.gpus, spec.resources.gpu_share};
  };
  std::string last;
  for (std::size_t i = 0; i < search.rungs.size() && !search.code; ++i) {
    const Rung& rung = search.rungs[i];
    const std::int64_t planned =
        std::int64_t{rung.candidates + (search.baseline && has_baseline(search.rungs, i) ? 1 : 0)} * rung.replicates;
    work.add(rung_label(static_cast<int>(i) + 1), kind_at(rung.fidelity), std::min(planned, runs));
    runs -= std::min(planned, runs);
    last = rung.fidelity;
  }
  work.add("search", kind_at(last), runs);
  work.add("confirmation", kind_at(last), confirmation);
}

/// The commands of the first rung, and the most runs of the whole search.
StudyPlan plan_of_search(const StudySpec& spec, int jobs) {
  Study study;
  study.jobs = jobs;
  study.id = "plan";
  study.spec = spec;
  StudyPlan plan;
  plan.search = search_plan(study, planning_draw());
  std::vector<Cell> cells = plan.search->registered.cells;
  if (plan.search->baseline) cells.insert(cells.begin(), *plan.search->baseline);
  for (Cell& cell : cells) {
    add_range_levels(study.spec, cell);
    if (!plan.search->fidelity.empty()) cell[plan.search->fidelity] = plan.search->rungs.front().fidelity;
  }
  plan.cells = commands(study.spec, cells, plan.search->registered);
  plan.seeds = first_seeds(spec, plan.search->registered);
  plan.family = plan.search->registered.family;
  RunsQueued smoke;
  if (spec.design.smoke) smoke = smoke_runs(study, planning_draw());
  plan.smoke = static_cast<int>(smoke.runs.size());
  add(plan.most, "manipulation check", std::move(smoke), study.spec);
  plan.search_runs = static_cast<int>(runs_of(*plan.search, spec));
  const int confirmation = static_cast<int>(confirmation_runs(spec));
  plan.registered = {confirmation, confirmation};
  add_search(plan.most, *plan.search, study.spec, plan.search_runs, confirmation);
  plan.least = plan.most;
  const int total = plan.smoke + plan.search_runs + confirmation;
  plan.total = {total, total};
  if (spec.budget.runs && *spec.budget.runs < total)
    plan.shortfall = fmt::format("the smallest search with its confirmation takes {} runs, the budget allows {}", total,
                                 *spec.budget.runs);
  return plan;
}

}  // namespace

StudyPlan plan_of(const StudySpec& spec, int jobs) {
  if (spec.kind != StudyKind::test && spec.hypotheses.empty()) return plan_of_search(spec, jobs);
  const Study study = proposed(spec);
  const Design& design = spec.design;
  StudyPlan plan;
  plan.family = study.family;
  std::vector<HypothesisId> ids;
  for (const HypothesisRecord& record : study.hypotheses) {
    const Hypothesis& h = record.hypothesis;
    plan.hypotheses.push_back(planned(study.spec, study.family, h));
    if (h.may_judge_relevance() && !h.judges_relevance() && !method_of(spec, h).units().exact)
      plan.undeclared.push_back(h.id.text());
    ids.push_back(record.hypothesis.id);
  }
  const Registration registration = registration_of(study, ids, planning_draw());
  plan.cells = commands(spec, registration.cells, registration);
  plan.evaluations = evaluations(spec, registration.cells);
  PlannedWork before;
  RunsQueued smoke, pilot;
  if (design.smoke) smoke = smoke_runs(study, planning_draw());
  if (!design.sized_beforehand()) pilot = pilot_runs(study, planning_draw());
  plan.smoke = static_cast<int>(smoke.runs.size());
  plan.pilot = static_cast<int>(pilot.runs.size());
  add(before, "manipulation check", std::move(smoke), spec);
  add(before, "pilot", std::move(pilot), spec);
  Count least = registered_count(study, plan, ids, false, before),
        most = registered_count(study, plan, ids, true, before);
  plan.registered = {least.registered, most.registered};
  plan.aa = {least.aa, most.aa};
  plan.looks = most.looks;
  plan.least = std::move(least.work);
  plan.most = std::move(most.work);
  plan.seeds = first_seeds(spec, registration);
  plan.warmup = static_cast<int>(warmup_runs(study, registration).runs.size());
  plan.repeats = repeats_smoke(spec) && least.registered + least.aa >= smoke_repeats ? smoke_repeats : 0;
  const int others = plan.smoke + plan.pilot + plan.warmup + plan.repeats;
  plan.total = {others + least.registered + least.aa, others + most.registered + most.aa};
  if (spec.budget.runs && *spec.budget.runs < plan.total.least)
    plan.shortfall =
        fmt::format("the design needs at least {} runs, the budget allows {}", plan.total.least, *spec.budget.runs);
  else if (spec.budget.runs && *spec.budget.runs < plan.total.most)
    plan.shortfall = fmt::format("if the pilot asks for the most, the design needs {} runs; the budget allows {}",
                                 plan.total.most, *spec.budget.runs);
  return plan;
}

std::string budget_outlook(const Study& study) {
  const StudySpec& spec = study.spec;
  const Budget& budget = spec.budget;
  std::vector<HypothesisId> ids;
  for (const HypothesisRecord* record : study.open_batch()) ids.push_back(record->hypothesis.id);
  if (ids.empty() || !study.sized) return "";
  const Registration registration = registration_of(study, ids, planning_draw());
  const auto runs = static_cast<std::int64_t>(registered_runs(study, registration).runs.size() +
                                              warmup_runs(study, registration).runs.size());
  const Spending spending = spending_of(study, {0, study.last_boot_ms});
  const std::string due = "the registration has " + prose::counted(runs, "run");
  const auto too_much = [&](const char* limit, const std::string& takes, const std::string& left) {
    return fmt::format("{}, which {}, and {} of `budget.{}` is left: the study will pause on the way", due, takes, left,
                       limit);
  };
  // Some of them may have begun before this is said.
  const auto begun = std::ranges::count_if(study.runs, [&](const Run& run) {
    return run.state != RunState::queued && !run.experiment.empty() &&
           run.experiment == study.open_batch().front()->experiment;
  });
  if (budget.runs)
    if (const auto left = *budget.runs - static_cast<std::int64_t>(spending.runs.total()) + begun; left < runs)
      return fmt::format("{}, and {} of `budget.runs` {} left: the study will pause on the way", due,
                         std::max<std::int64_t>(left, 0), left == 1 ? "is" : "are");
  double seconds = 0;
  int trials = 0;
  for (const Run& run : study.runs) {
    const bool trial = run.purpose == Purpose::pilot || run.purpose == Purpose::smoke;
    if (!trial || !run.stage.empty() || run.state != RunState::succeeded || !run.cached_from.empty()) continue;
    seconds += run.outcome.usage.wall_s;
    ++trials;
  }
  if (trials == 0) return "";
  // At best every job always has a run.
  const double needed = seconds / trials * static_cast<double>(runs);
  if (budget.wall_s)
    if (const double left = std::max(*budget.wall_s - spending.wall_s.total(), 0.0); left < needed / study.jobs)
      return too_much("wall",
                      fmt::format("at {} each take at least {} with -j {}", prose::duration_text(seconds / trials),
                                  prose::duration_text(needed / study.jobs), study.jobs),
                      prose::duration_text(left));
  if (budget.gpu_hours) {
    const double hours = needed * spec.resources.devices() / seconds_an_hour;
    if (const double left = std::max(*budget.gpu_hours - spending.gpu_hours.total(), 0.0); left < hours)
      return too_much(
          "gpu_hours",
          fmt::format("at {} each take about {:.3g} GPU hours", prose::duration_text(seconds / trials), hours),
          fmt::format("{:.3g}", left));
  }
  return "";
}

}  // namespace kernel

// Plans what a screening or an optimisation will try, before any of its runs.
#include <algorithm>

#include "base/assert.h"
#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/model_search.h"
#include "kernel/search/race.h"
#include "kernel/search/screening.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/search/two_metrics.h"
#include "kernel/study/continuation.h"

namespace kernel {

namespace {

/// Limits on crossed cells of a confirmation, a screening's cells without a budget, and an optimisation's candidates.
constexpr double most_crossed = 10'000;
constexpr std::int64_t cells_without_budget = 64;
constexpr int candidates_without_budget = 27, most_candidates = 243;
constexpr std::uint64_t first_rung_salt = 0x0b71417e;

std::int64_t runs_per_cell(const StudySpec& spec) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(spec.stages.size()));
}

int smoke_count(const StudySpec& spec) {
  if (!spec.design.smoke) return 0;
  Study study;
  study.spec = spec;
  return static_cast<int>(smoke_runs(study, planning_draw()).runs.size());
}

std::vector<Cell> candidates_of(const StudySpec& spec, int count) {
  const Cell baseline = baseline_cell(spec, false);
  if (auto all = all_cells(spec, static_cast<std::size_t>(count) + 1)) {
    std::erase(*all, baseline);
    if (static_cast<int>(all->size()) <= count) return std::move(*all);
  }
  return sampled_cells(spec, count, {baseline}, spec.seed ^ first_rung_salt);
}

/// The number of possible candidates, up to a limit; a range has as many as the limit.
int candidates_there_are(const StudySpec& spec) {
  const auto all = all_cells(spec, most_candidates + 1);
  if (!all) return most_candidates;
  const auto own = std::ranges::count(*all, baseline_cell(spec, false));
  return std::min(most_candidates, static_cast<int>(all->size()) - static_cast<int>(own));
}

std::vector<Rung> optimisation_rungs(const StudySpec& spec, int candidates) {
  HalvingShape shape;
  shape.candidates = candidates;
  shape.top = spec.design.confirm->top;
  shape.eta = spec.fidelity ? spec.fidelity->eta : 3;
  shape.replicates_min = spec.design.replicates_min;
  shape.replicates_max = spec.design.replicates_max;
  shape.fidelities = fidelity_levels(spec);
  shape.continues = has_continued_runs(spec);
  shape.refined = std::min(candidates, std::max(3, 2 * static_cast<int>(searched_factors(spec).size())));
  return halving_rungs(shape);
}

/// As many candidates for the first rung as the budget allows.
int first_candidates(const StudySpec& spec) {
  const int there_are = candidates_there_are(spec);
  const std::optional<std::int64_t> runs = runs_for_selection(spec);
  if (!runs) return std::min(there_are, candidates_without_budget);
  for (int n = there_are; n > std::min(there_are, spec.design.confirm->top + 1); --n)
    if (runs_of(optimisation_rungs(spec, n)) * runs_per_cell(spec) <= *runs) return n;
  return std::min(there_are, spec.design.confirm->top + 1);
}

ScreenDesign screen_of(const StudySpec& spec) {
  std::int64_t cells = cells_without_budget;
  if (const auto runs = runs_for_selection(spec)) cells = *runs / (runs_per_cell(spec) * spec.design.replicates_min);
  return screen_design(spec, cells);
}

std::string better(Goal goal) {
  return goal == Goal::minimize ? "lower" : "higher";
}

/// What goes into the confirmation.
std::vector<Reason> the_best(const SearchPlan& plan) {
  return {plan.top == 1 ? Reason{ReasonCode::best_one} : Reason{ReasonCode::best_few, {{"most", plan.top}}}};
}

void plan_screening(const StudySpec& spec, SearchPlan& plan) {
  ScreenDesign design = screen_of(spec);
  plan.design = design.design;
  plan.resolution = design.resolution;
  plan.generators = std::move(design.generators);
  plan.aliases = std::move(design.aliases);
  plan.registered.cells = std::move(design.cells);
  plan.rungs = {{static_cast<int>(plan.registered.cells.size()), spec.design.replicates_min, 0, "", false}};
  plan.rule = {plan.top == 1 ? ReasonCode::rule_of_screening_one : ReasonCode::rule_of_screening,
               {{"factors", plan.top}, {"metric", plan.metric}}};
}

void plan_versions(const StudySpec& spec, SearchPlan& plan) {
  const CodeSpec& code = *spec.code;
  plan.design = SearchDesign::versions;
  plan.code = code;
  plan.baseline = baseline_cell(spec, true);
  plan.registered.cells = {*plan.baseline};
  if (code.keeps_or_discards()) {
    plan.design = SearchDesign::keep_or_discard;
    plan.rungs = {{code.versions, 1, 0, "", false}};
    plan.rule = {ReasonCode::rule_of_keep_or_discard,
                 {{"floor", code.floor},
                  {"metric", plan.metric},
                  {"better", better(plan.goal)},
                  {"versions", code.versions},
                  {"quantile", 1 - lucky_share},
                  {"retest", code.retest}}};
    return;
  }
  plan.rungs = {{code.versions, spec.design.replicates_max, 0, "", false}};
  plan.rule = {ReasonCode::rule_of_code_search,
               {{"versions", code.versions},
                {"branches", code.branches},
                {"drafts", code.drafts},
                {"metric", plan.metric},
                {"better", better(plan.goal)},
                {"least", spec.design.replicates_min},
                {"most", spec.design.replicates_max},
                {"best", the_best(plan)}}};
}

void plan_by_model(const StudySpec& spec, int beside, LastRuns last_runs, SearchPlan& plan) {
  plan.design = SearchDesign::model;
  plan.baseline = baseline_cell(spec, false);
  const std::int64_t runs =
      std::max<std::int64_t>(2, runs_for_selection(spec).value_or(model_runs_without_budget) / runs_per_cell(spec));
  plan.rungs = model_rungs(spec, runs, beside, last_runs);
  plan.registered.cells = candidates_of(spec, plan.rungs.front().candidates);
  // There may be fewer cells than that.
  plan.rungs.front().candidates = static_cast<int>(plan.registered.cells.size());
  plan.rule = {ReasonCode::rule_of_estimates,
               {{"first", plan.rungs.front().candidates},
                {"metric", plan.metric},
                {"better", better(plan.goal)},
                {"number", plan.rungs.size() > 1 ? plan.rungs[1].candidates : 0},
                {"best", the_best(plan)}}};
  if (plan.rungs.size() == 1) plan.rule.code = ReasonCode::rule_of_first_candidates;
  if (spec.objectives.empty()) return;
  const Metric& second = *both_metrics(spec)[1];
  plan.objectives = spec.objectives;
  plan.rule.code = ReasonCode::rule_of_two_metrics;
  plan.rule.values.erase("best");
  plan.rule.values["second"] = second.name;
  plan.rule.values["second_better"] = better(second.goal);
  plan.rule.values["most"] = plan.top;
  plan.rule.values["limits"] = limits_in_words(spec);
}

/// False if the runs do not suffice for a proposal.
bool plan_model_halving(const StudySpec& spec, SearchPlan& plan) {
  const std::int64_t runs = runs_for_selection(spec).value_or(2 * model_runs_without_budget) / runs_per_cell(spec);
  std::vector<Rung> rungs = model_halving_rungs(spec, runs);
  if (rungs.empty()) return false;
  plan.rungs = std::move(rungs);
  plan.registered.cells = candidates_of(spec, plan.rungs.front().candidates);
  // There may be fewer cells than that.
  plan.rungs.front().candidates = static_cast<int>(plan.registered.cells.size());
  plan.rule = {has_continued_runs(spec) ? ReasonCode::rule_of_freeze_thaw : ReasonCode::rule_of_model_halving,
               {{"share", plan.eta},
                {"fidelity", plan.fidelity},
                {"metric", plan.metric},
                {"better", better(plan.goal)},
                {"best", the_best(plan)}}};
  return true;
}

void plan_optimisation(const StudySpec& spec, RungRanking ranking, SearchPlan& plan) {
  plan.design = SearchDesign::halving;
  plan.eta = spec.fidelity ? spec.fidelity->eta : 3;
  if (spec.fidelity) plan.fidelity = spec.fidelity->factor;
  plan.baseline = baseline_cell(spec, false);
  plan.registered.cells = candidates_of(spec, first_candidates(spec));
  plan.rungs = optimisation_rungs(spec, static_cast<int>(plan.registered.cells.size()));
  if (spec.design.search == SearchRule::model && plan_model_halving(spec, plan)) return;
  plan.rule = rule_of_race(plan, better(plan.goal), the_best(plan));
  if (ranking == RungRanking::all_runs) return;
  plan.rule = {ReasonCode::rule_of_halving,
               {{"share", plan.eta},
                {"metric", plan.metric},
                {"better", better(plan.goal)},
                {"left", std::vector{plan.top == 1 ? Reason{ReasonCode::one_left}
                                                   : Reason{ReasonCode::few_left, {{"most", plan.top}}}}},
                {"best", the_best(plan)}}};
}

}  // namespace

Hypothesis contrast_of(const StudySpec& spec, const Factor& factor, const std::string& low, const std::string& high) {
  Hypothesis h;
  h.metric = spec.primary().name;
  h.treatment = {{factor.name, high}};
  h.control = {{factor.name, low}};
  for (const Factor& other : spec.factors)
    if (&other != &factor && other.baseline) h.where[other.name] = *other.baseline;
  return h;
}

Reason why_not_searchable(const StudySpec& spec) {
  ETUDE_ASSERT(spec.design.confirm);
  const int top = spec.design.confirm->top;
  if (!is_allowed(spec, baseline_cell(spec, false))) return {ReasonCode::baselines_denied};
  if (spec.kind == StudyKind::screen) {
    double crossed_in_confirmation = 1;
    for (const Factor& factor : spec.factors)
      if (!factor.baseline) crossed_in_confirmation *= static_cast<double>(factor.levels.size());
    if (crossed_in_confirmation > most_crossed)
      return {ReasonCode::confirmation_too_large, {{"cells", crossed_in_confirmation}, {"most", most_crossed}}};
    if (top > static_cast<int>(spec.factors.size()))
      return {ReasonCode::top_above_factors,
              {{"top", top}, {"factors", static_cast<std::int64_t>(spec.factors.size())}}};
    return screen_of(spec).problem;
  }
  if (spec.code) {
    const auto left = runs_for_selection(spec);
    const std::int64_t least =
        spec.code->keeps_or_discards()
            ? spec.code->floor + 1 + runs_of_retest(*spec.code)
            : spec.design.replicates_min * (std::int64_t{1} + std::min(spec.code->drafts, spec.code->branches));
    if (left && *left < least) return {ReasonCode::runs_short_of_search, {{"left", *left}, {"least", least}}};
    return {};
  }
  const int there_are = static_cast<int>(candidates_of(spec, std::max(top, 2)).size());
  if (there_are < std::max(top, 2)) return {ReasonCode::nothing_to_choose, {{"candidates", there_are}, {"top", top}}};
  return {};
}

std::int64_t confirmation_runs(const StudySpec& spec) {
  const Confirm& confirm = *spec.design.confirm;
  std::int64_t cells = 0;
  if (spec.kind == StudyKind::optimize) {
    cells = std::int64_t{1} + confirm.top;
  } else {
    const bool based = std::ranges::all_of(spec.factors, [](const Factor& f) { return f.baseline.has_value(); });
    const auto ranges = std::ranges::count_if(spec.factors, [](const Factor& f) { return f.range.has_value(); });
    std::vector<std::int64_t> each;
    for (const Factor& factor : spec.factors)
      each.push_back(
          based ? factor.range ? 2 : 1
                : static_cast<std::int64_t>(
                      cells_of(spec, contrast_of(spec, factor, factor.levels.front().name, factor.levels.back().name))
                          .size()));
    // If all factors have baselines, all but ranges are compared with one shared cell.
    if (based && confirm.top > ranges) cells = 1;
    std::sort(each.rbegin(), each.rend());
    for (std::size_t i = 0; i < each.size() && static_cast<int>(i) < confirm.top; ++i) cells += each[i];
  }
  return cells * confirm.upper() * runs_per_cell(spec);
}

std::optional<std::int64_t> runs_for_selection(const StudySpec& spec) {
  if (!spec.budget.runs) return std::nullopt;
  return std::max<std::int64_t>(0,
                                *spec.budget.runs - smoke_count(spec) - (spec.setup ? 1 : 0) - confirmation_runs(spec));
}

namespace {

/// What earlier programs planned otherwise.
struct PlanForm {
  LastRuns last_runs = LastRuns::in_turn;
  RungRanking ranking = RungRanking::all_runs;
};

SearchPlan plan_with(const Study& study, const Draw& draw, const PlanForm& form) {
  const StudySpec& spec = study.spec;
  ETUDE_ASSERT(spec.design.confirm);
  SearchPlan plan;
  plan.registered = registration_of(study, {}, draw);
  plan.registered.experiment = "S01";
  plan.kind = spec.kind;
  plan.metric = spec.primary().name;
  plan.goal = spec.primary().goal;
  plan.top = spec.design.confirm->top;
  plan.confirm_replicates = spec.design.confirm->replicates;
  plan.confirm_most = spec.design.confirm->most;
  if (spec.kind == StudyKind::screen)
    plan_screening(spec, plan);
  else if (spec.code)
    plan_versions(spec, plan);
  else if (spec.design.search == SearchRule::model && !spec.fidelity)
    plan_by_model(spec, study.jobs, form.last_runs, plan);
  else
    plan_optimisation(spec, form.ranking, plan);
  plan.registered.family = plan.top * std::max(1, static_cast<int>(plan.objectives.size()));
  plan.registered.replicates.assign(plan.registered.cells.size(), plan.rungs.front().replicates);
  if (spec.design.pairing == Pairing::seed) {
    int seeds = seeds_of(plan.rungs);
    if (spec.seeds == SeedRule::derived) {
      for (int i = 0; i < seeds; ++i) plan.registered.seeds.push_back(derived_seed(spec, Purpose::search, i));
    } else {
      if (plan.code) seeds = std::max(seeds, spec.design.replicates_max);
      if (plan.code && plan.code->keeps_or_discards())
        seeds = first_replicate(*plan.code, static_cast<std::size_t>(plan.code->versions)) - 1;
      FreshSeeds fresh(study, plan.registered.draw, "selection");
      for (int i = 0; i < seeds; ++i) plan.registered.seeds.push_back(fresh.next());
    }
  }
  return plan;
}

}  // namespace

SearchPlan search_plan(const Study& study, const Draw& draw) {
  return plan_with(study, draw, {});
}

LastRuns last_runs_of(const SearchPlan& plan) {
  const bool at_once =
      std::ranges::count_if(plan.rungs, &Rung::decides) == 1 && plan.rungs.back().candidates == plan.top + 2;
  return at_once ? LastRuns::at_once : LastRuns::in_turn;
}

SearchPlan planned_again(const Study& study, const SearchPlan& recorded) {
  SearchPlan plan = plan_with(study, recorded.registered.draw, {last_runs_of(recorded), ranking_of(recorded)});
  // Of an earlier program.
  if (recorded.rule.code == ReasonCode::rule_of_model) plan.rule.code = ReasonCode::rule_of_model;
  return plan;
}

std::int64_t runs_of(const SearchPlan& plan, const StudySpec& spec) {
  if (plan.code) {
    const std::int64_t most = plan.code->keeps_or_discards()
                                  ? plan.code->floor + plan.code->versions * (1 + runs_of_retest(*plan.code))
                                  : (plan.code->versions + std::int64_t{1}) * spec.design.replicates_max;
    return std::min(most, runs_for_selection(spec).value_or(most));
  }
  const std::int64_t baselines = plan.baseline ? 0 : plan.rungs.front().replicates;
  return (runs_of(plan.rungs) - baselines) * runs_per_cell(spec);
}

}  // namespace kernel

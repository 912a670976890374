#include "kernel/search/search.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/assert.h"
#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/search/freeze_thaw.h"
#include "kernel/search/model_search.h"
#include "kernel/search/race.h"
#include "kernel/search/screening.h"
#include "kernel/search/search_space.h"
#include "kernel/search/two_metrics.h"
#include "kernel/study/continuation.h"
#include "kernel/study/search_scores.h"

namespace kernel {

namespace {

constexpr std::uint64_t refinement_salt = 0x2ef19e, proposal_salt = 0x6d0de1;

std::set<Cell> seen_in(const Search& search) {
  std::set<Cell> seen;
  for (const RungRanked& rung : search.ranked)
    for (const Candidate& candidate : rung.candidates) seen.insert(candidate.cell);
  return seen;
}

std::vector<Cell> kept_in(const RungRanked& rung) {
  std::vector<Cell> cells;
  for (const Candidate& candidate : rung.candidates)
    if (candidate.kept) cells.push_back(candidate.cell);
  return cells;
}

/// Those that go on from a rung to the next, without the fidelity factor.
std::vector<Cell> going_on(const RungRanked& rung) {
  std::vector<Cell> cells = kept_in(rung);
  cells.insert(cells.end(), rung.thawed.begin(), rung.thawed.end());
  return cells;
}

/// New candidates around the best so far, in a window of 1/`eta` of each range; where there are too few, the best of
/// those dropped, or, in plans of earlier programs, known ones around the best.
std::vector<Cell> refined_cells(const StudySpec& spec, const Search& search) {
  const SearchPlan& plan = search.plan;
  const std::vector<Cell> kept = kept_in(search.ranked.back());
  std::set<Cell> without(kept.begin(), kept.end());
  without.insert(*plan.baseline);
  const int count = plan.rungs.back().candidates - static_cast<int>(kept.size());
  if (kept.empty() || count < 1) return {};
  const std::set<Cell> seen = seen_in(search);
  std::vector<Cell> cells =
      cells_around(spec, kept.front(), count, 0.5 / plan.eta, without, seen, spec.seed ^ refinement_salt);
  if (ranking_of(plan) == RungRanking::own_runs) return cells;
  std::erase_if(cells, [&](const Cell& cell) { return seen.contains(cell); });
  const std::vector<Cell> dropped = best_dropped(search, static_cast<std::size_t>(count) - cells.size(), without);
  cells.insert(cells.end(), dropped.begin(), dropped.end());
  return cells;
}

/// The cells of a rung that the model does not propose, without the fidelity factor.
std::vector<Cell> cells_of_rung(const StudySpec& spec, const Search& search, std::size_t rung) {
  std::vector<Cell> cells = rung == 0 ? search.plan.registered.cells : going_on(search.ranked[rung - 1]);
  if (search.plan.rungs[rung].refines)
    for (Cell& cell : refined_cells(spec, search)) cells.push_back(std::move(cell));
  if (search.plan.baseline && has_baseline(search.plan.rungs, rung)) cells.push_back(*search.plan.baseline);
  return cells;
}

/// Of the metric that the search is for, with the level of the fidelity factor.
std::vector<CellOutcome> outcomes_with_fidelity(const Study& study, const std::string& label = "") {
  return search_outcomes(study, *study.spec.metric(study.search->plan.metric), label);
}

/// The outcome of every run of the search, without the fidelity factor; with a label, of that rung.
std::vector<CellOutcome> outcomes_of(const Study& study, const std::string& label = "") {
  std::vector<CellOutcome> outcomes = outcomes_with_fidelity(study, label);
  for (CellOutcome& outcome : outcomes) outcome.cell.erase(study.search->plan.fidelity);
  return outcomes;
}

/// The outcomes of all rungs at the fidelity of one.
std::vector<CellOutcome> outcomes_at_fidelity(const Study& study, const Rung& rung) {
  std::vector<CellOutcome> outcomes = outcomes_with_fidelity(study);
  const std::string& fidelity = study.search->plan.fidelity;
  if (fidelity.empty()) return outcomes;
  std::erase_if(outcomes, [&](const CellOutcome& o) { return o.cell.at(fidelity) != rung.fidelity; });
  for (CellOutcome& outcome : outcomes) outcome.cell.erase(fidelity);
  return outcomes;
}

/// Distinct, in the order of the outcomes.
std::vector<Cell> cells_in(const std::vector<CellOutcome>& outcomes) {
  std::vector<Cell> cells;
  std::set<Cell> seen;
  for (const CellOutcome& o : outcomes)
    if (seen.insert(o.cell).second) cells.push_back(o.cell);
  return cells;
}

/// `outcomes`: of the newest rung.
std::vector<Candidate> ranked_candidates(const Study& study, const std::vector<CellOutcome>& outcomes) {
  const StudySpec& spec = study.spec;
  const Search& search = *study.search;
  const std::size_t rung = static_cast<std::size_t>(search.queued) - 1;
  const bool proposed = search.plan.rungs[rung].proposes;
  const std::vector<Cell> cells = proposed ? cells_in(outcomes) : cells_of_rung(spec, search, rung);
  const std::set<Cell> kept_before = [&] {
    std::vector<Cell> before = cells;
    if (!proposed) before = rung == 0 ? search.plan.registered.cells : going_on(search.ranked[rung - 1]);
    return std::set<Cell>(before.begin(), before.end());
  }();
  std::vector<Candidate> candidates;
  for (const Cell& cell : cells) {
    Candidate c;
    c.cell = cell;
    c.baseline = search.plan.baseline == cell;
    c.refined = !c.baseline && !kept_before.contains(cell);
    candidates.push_back(std::move(c));
  }
  const Metric& metric = *spec.metric(search.plan.metric);
  if (ranking_of(search.plan) == RungRanking::own_runs) return best_first(metric, std::move(candidates), outcomes);
  const std::vector<CellOutcome> all = outcomes_at_fidelity(study, search.plan.rungs[rung]);
  return by_all_runs(spec, metric, std::move(candidates), all, outcomes);
}

bool for_two(const Study& study) {
  return !study.spec.objectives.empty();
}

TwoResponses both_responses(const Study& study) {
  const auto& [first, second] = both_metrics(study.spec);
  return TwoResponses(study.spec, {search_outcomes(study, *first), search_outcomes(study, *second)},
                      reference_point(study).value_or(stats::TwoValues{}));
}

std::vector<Cell> proposed_cells(const Study& study, const Rung& rung, std::size_t index) {
  const std::uint64_t seed = study.spec.seed ^ (proposal_salt + (static_cast<std::uint64_t>(index) << 32));
  if (for_two(study)) {
    const TwoResponses model = both_responses(study);
    return rung.decides ? model.best(rung.candidates, seed) : model.proposals(rung.candidates, seed);
  }
  const ResponseModel model(study.spec, *study.spec.metric(study.search->plan.metric), outcomes_with_fidelity(study));
  const SearchPlan& plan = study.search->plan;
  if (rung.decides && plan.design == SearchDesign::model && last_runs_of(plan) == LastRuns::in_turn)
    return model.deciding(rung.candidates, seed);
  if (rung.decides) return model.best(rung.candidates, seed);
  return model.proposals(rung.candidates, seed);
}

void add_second_means(const Study& study, const std::string& label, std::vector<Candidate>& candidates) {
  const Metric& second = *both_metrics(study.spec)[1];
  std::vector<Candidate> bare;
  for (const Candidate& c : candidates) bare.emplace_back().cell = c.cell;
  for (const Candidate& known : best_first(second, std::move(bare), search_outcomes(study, second, label)))
    for (Candidate& c : candidates)
      if (c.cell == known.cell) {
        c.second_mean = known.mean;
        c.second_sd = known.sd;
      }
}

/// Candidates of the newest rung, or of all if it is the last one, with their estimates.
std::vector<Candidate> modelled_candidates(const Study& study, bool last) {
  const Search& search = *study.search;
  const std::vector<CellOutcome> outcomes = outcomes_of(study, last ? "" : rung_label(search.queued));
  std::vector<Candidate> candidates;
  for (Cell& cell : cells_in(outcomes)) {
    Candidate c;
    c.baseline = search.plan.baseline == cell;
    c.cell = std::move(cell);
    candidates.push_back(std::move(c));
  }
  candidates = best_first(*study.spec.metric(search.plan.metric), std::move(candidates), outcomes);
  if (for_two(study)) add_second_means(study, last ? "" : rung_label(search.queued), candidates);
  return candidates;
}

std::optional<double> in_unit(const Metric& metric, const std::optional<stats::Predicted>& expected) {
  if (!expected) return std::nullopt;
  return metric.scale == Scale::log ? std::exp(expected->mean) : expected->mean;
}

void add_estimates(const Study& study, std::vector<Candidate>& candidates) {
  if (for_two(study)) {
    const TwoResponses model = both_responses(study);
    const auto& [first, second] = both_metrics(study.spec);
    for (Candidate& c : candidates) {
      const auto expected = model.estimates(c.cell);
      if (!expected[0] || !expected[1]) continue;
      c.estimate = in_unit(*first, expected[0]);
      c.estimate_sd = expected[0]->sd;
      c.second_estimate = in_unit(*second, expected[1]);
      c.second_estimate_sd = expected[1]->sd;
    }
    return;
  }
  const Metric& metric = *study.spec.metric(study.search->plan.metric);
  const ResponseModel model(study.spec, metric, outcomes_of(study));
  for (Candidate& c : candidates)
    if (const auto expected = model.estimate(c.cell)) {
      c.estimate = in_unit(metric, expected);
      c.estimate_sd = expected->sd;
    }
}

void take_estimates(const RungRanked& recorded, std::vector<Candidate>& candidates) {
  for (Candidate& c : candidates)
    for (const Candidate& known : recorded.candidates)
      if (known.cell == c.cell && c.mean) {
        c.estimate = known.estimate;
        c.estimate_sd = known.estimate_sd;
        c.second_estimate = known.second_estimate;
        c.second_estimate_sd = known.second_estimate_sd;
      }
}

/// Best first by the estimates; those without one keep their order behind.
void order_by_estimates(const Metric& metric, std::vector<Candidate>& candidates) {
  const double better = metric.goal == Goal::minimize ? 1 : -1;
  std::ranges::stable_sort(candidates, {}, [&](const Candidate& c) {
    return std::pair(!c.estimate, c.estimate ? better * *c.estimate : 0.0);
  });
}

/// Keeps the first `count` candidates that have a successful run; the baseline is always present and not counted.
void keep_best(std::vector<Candidate>& candidates, int count) {
  for (Candidate& c : candidates) {
    if (c.baseline || !c.mean) continue;
    c.kept = count-- > 0;
  }
}

void keep_largest(const StudySpec& spec, int top, std::vector<FactorEffect>& effects) {
  for (FactorEffect& e : effects) {
    if (top < 1 || e.factors.size() != 1 || !e.effect) continue;
    e.kept = !cells_of(spec, contrast_of(spec, *spec.factor(e.factors[0]), e.low, e.high)).empty();
    top -= e.kept ? 1 : 0;
  }
}

Hypothesis of_effect(const StudyTerms& study, const FactorEffect& e) {
  const StudySpec& spec = study.spec;
  Hypothesis h = contrast_of(spec, *spec.factor(e.factors[0]), e.low, e.high);
  h.direction = *e.effect < 0 ? Direction::less : *e.effect > 0 ? Direction::greater : Direction::different;
  const char* verb = *e.effect < 0 ? "lowers" : *e.effect > 0 ? "raises" : "changes";
  h.statement = fmt::format("Setting {} to {} instead of {} {} {}.", e.factors[0], e.high, e.low, verb, h.metric);
  return h;
}

/// `direction`: of the treatment's metric, seen from the baseline's.
Hypothesis of_candidate(const StudySpec& spec, const SearchPlan& plan, const Cell& cell, const std::string& metric,
                        Direction direction) {
  Hypothesis h;
  h.metric = metric;
  for (const auto& [factor, level] : cell) {
    const std::string& base = plan.baseline->at(factor);
    if (level == base) {
      h.where[factor] = level;
    } else {
      h.treatment[factor] = level;
      h.control[factor] = base;
    }
  }
  if (!plan.fidelity.empty()) h.where[plan.fidelity] = fidelity_levels(spec).back();
  const bool lower = direction == Direction::less;
  h.direction = direction;
  if (spec.code) {
    h.statement = fmt::format("Version {} of the code gives a {} {} than the person's own.", cell.at(code_factor),
                              lower ? "lower" : "higher", h.metric);
    return h;
  }
  h.statement = fmt::format("{} gives a {} {} than the baseline {}.", words_of(h.treatment), lower ? "lower" : "higher",
                            h.metric, words_of(h.control));
  return h;
}

/// A candidate on both metrics: better in one in which it is expected to be, and as expected in the other; better in
/// both where it is expected to be so in none.
void add_both(const StudySpec& spec, const SearchPlan& plan, const Candidate& c, const Candidate* baseline,
              std::vector<Hypothesis>& selected) {
  const std::array<const Metric*, 2> metrics = both_metrics(spec);
  std::array<bool, 2> worse = {false, false};
  if (baseline && baseline->estimate && c.estimate && baseline->second_estimate && c.second_estimate)
    worse = {turned(*metrics[0], *c.estimate) > turned(*metrics[0], *baseline->estimate),
             turned(*metrics[1], *c.second_estimate) > turned(*metrics[1], *baseline->second_estimate)};
  if (worse[0] && worse[1]) worse = {false, false};
  for (std::size_t j = 0; j < 2; ++j) {
    const bool lower = (metrics[j]->goal == Goal::minimize) != worse[j];
    selected.push_back(
        of_candidate(spec, plan, c.cell, metrics[j]->name, lower ? Direction::less : Direction::greater));
  }
}

bool in_range(const Factor& factor, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= factor.range->low &&
         value <= factor.range->high;
}

}  // namespace

RunsQueued next_rung(const Study& study, const std::vector<Cell>* proposed) {
  ETUDE_ASSERT(study.search);
  const Search& search = *study.search;
  const auto rung = static_cast<std::size_t>(search.queued);
  ETUDE_ASSERT(search.ranked.size() == rung);
  const Rung& planned = search.plan.rungs.at(rung);
  std::vector<Cell> cells = !planned.proposes ? cells_of_rung(study.spec, search, rung)
                            : proposed        ? *proposed
                                              : proposed_cells(study, planned, rung);
  if (!planned.fidelity.empty())
    for (Cell& cell : cells) cell[search.plan.fidelity] = planned.fidelity;
  const Registration& registered = search.plan.registered;
  const std::string label = rung_label(search.queued + 1);
  // If unpaired, each run has its own seed.
  int first_seed = planned.first_seed;
  if (study.spec.design.pairing == Pairing::none)
    first_seed = static_cast<int>(std::ranges::count_if(study.runs, [](const Run& run) {
      return run.purpose == Purpose::search && run.stage.empty() && run.retry_of == 0;
    }));
  const std::vector<int> replicates(cells.size(), planned.replicates);
  Randomness randomness = study.spec.seeds == SeedRule::derived ? derived_randomness(study, Purpose::search, first_seed)
                                                                : fresh_randomness(study, registered.draw, label);
  if (study.spec.seeds != SeedRule::derived && study.spec.design.pairing == Pairing::seed)
    randomness.seed = [&](const PlannedRun& run, const Cell&) {
      return registered.seeds.at(static_cast<std::size_t>(planned.first_seed + run.replicate - 1));
    };
  RunsQueued queued = interleaved(study, Purpose::search, std::move(cells), replicates, std::nullopt, randomness);
  queued.experiment = registered.experiment;
  for (PlannedRun& run : queued.runs) run.label = label;
  if (has_continued_runs(study.spec) && rises(search.plan.rungs, rung))
    continue_runs(study, search.plan.rungs[rung - 1].fidelity, queued);
  return with_stages(study.spec, std::move(queued));
}

bool may_be_proposed(const Study& study, const std::vector<Cell>& cells) {
  const Search& search = *study.search;
  const Rung& planned = search.plan.rungs.at(static_cast<std::size_t>(search.queued));
  if (cells.empty() || static_cast<int>(cells.size()) > planned.candidates) return false;
  const std::vector<const Factor*> factors = searched_factors(study.spec);
  std::set<Cell> distinct;
  for (const Cell& cell : cells) {
    if (!distinct.insert(cell).second || cell.size() != factors.size()) return false;
    for (const Factor* factor : factors) {
      const auto level = cell.find(factor->name);
      if (level == cell.end()) return false;
      if (!factor->range && !factor->level(level->second)) return false;
      if (factor->range && !in_range(*factor, level->second)) return false;
    }
    if (!is_allowed(study.spec, cell)) return false;
  }
  return true;
}

RungRanked rank_rung(const Study& study, const RungRanked* recorded) {
  ETUDE_ASSERT(study.search && study.search->ranked.size() < static_cast<std::size_t>(study.search->queued));
  const Search& search = *study.search;
  const SearchPlan& plan = search.plan;
  RungRanked ranked;
  ranked.experiment = plan.registered.experiment;
  ranked.rung = search.queued;
  if (plan.design == SearchDesign::model) {
    const std::vector<CellOutcome> all = outcomes_of(study);
    const bool any_value = std::ranges::any_of(all, [](const CellOutcome& o) { return o.value.has_value(); });
    ranked.last = static_cast<std::size_t>(search.queued) == plan.rungs.size() || !any_value;
    ranked.candidates = modelled_candidates(study, ranked.last);
    if (!ranked.last) return ranked;
    if (recorded)
      take_estimates(*recorded, ranked.candidates);
    else
      add_estimates(study, ranked.candidates);
    if (for_two(study)) {
      keep_choice(study, static_cast<std::size_t>(plan.top), ranked.candidates);
      return ranked;
    }
    order_by_estimates(*study.spec.metric(plan.metric), ranked.candidates);
    keep_best(ranked.candidates, plan.top);
    return ranked;
  }
  const std::vector<CellOutcome> outcomes = outcomes_of(study, rung_label(search.queued));
  ranked.candidates = ranked_candidates(study, outcomes);
  if (plan.kind == StudyKind::screen) {
    std::vector<RunValue> values;
    for (const CellOutcome& o : outcomes) values.push_back({&o.cell, o.seed, !o.value, o.value});
    ranked.effects = screen_effects(study.spec, plan.design, plan.resolution, values);
    keep_largest(study.spec, plan.top, ranked.effects);
    ranked.last = true;
    return ranked;
  }
  const auto next = static_cast<std::size_t>(search.queued);
  const bool last = next == plan.rungs.size();
  const bool adds_next = !last && (plan.rungs[next].refines || plan.rungs[next].proposes);
  keep_best(ranked.candidates, last || adds_next ? plan.top : plan.rungs[next].candidates);
  if (!last && plan.rungs[next].thaws)
    thaw(study, outcomes_with_fidelity(study), next, recorded ? going_on(*recorded) : std::vector<Cell>(), ranked);
  const bool any = !going_on(ranked).empty();
  const auto rest = std::ranges::subrange(plan.rungs.begin() + static_cast<std::ptrdiff_t>(next), plan.rungs.end());
  const bool proposes_later = std::ranges::any_of(rest, &Rung::proposes);
  ranked.last = last || (!any && !proposes_later);
  // A round of failures does not end the search: the model proposes elsewhere after its last rung.
  if (!any && proposes_later)
    if (const auto first = std::ranges::find(ranked.candidates, false, &Candidate::baseline);
        first != ranked.candidates.end())
      first->kept = true;
  return ranked;
}

std::vector<Hypothesis> selected_hypotheses(const Study& study) {
  std::vector<Hypothesis> selected;
  if (!study.search || !study.search->done()) return selected;
  const RungRanked& last = study.search->ranked.back();
  if (study.search->plan.kind == StudyKind::screen) {
    for (const FactorEffect& e : last.effects)
      if (e.kept) selected.push_back(of_effect(study, e));
  } else {
    const SearchPlan& plan = study.search->plan;
    const auto baseline = std::ranges::find_if(last.candidates, &Candidate::baseline);
    const Direction better = plan.goal == Goal::minimize ? Direction::less : Direction::greater;
    for (const Candidate& c : last.candidates) {
      if (!c.kept) continue;
      if (for_two(study))
        add_both(study.spec, plan, c, baseline == last.candidates.end() ? nullptr : &*baseline, selected);
      else
        selected.push_back(of_candidate(study.spec, plan, c.cell, plan.metric, better));
    }
  }
  for (std::size_t i = 0; i < selected.size(); ++i) {
    selected[i].id = HypothesisId(fmt::format("H{}", i + 1));
    selected[i].by = "hypothesis";
  }
  return selected;
}

bool is_selected(const Study& study, const Hypothesis& hypothesis) {
  const auto same = [&](const Hypothesis& h) {
    return h.id == hypothesis.id && h.kind == hypothesis.kind && h.metric == hypothesis.metric &&
           h.treatment == hypothesis.treatment && h.control == hypothesis.control && h.where == hypothesis.where &&
           h.direction == hypothesis.direction && !hypothesis.margin && hypothesis.requirements.empty() &&
           h.over == hypothesis.over && h.method == hypothesis.method &&
           h.smallest_effect.kind == hypothesis.smallest_effect.kind &&
           h.smallest_effect.value == hypothesis.smallest_effect.value;
  };
  const std::vector<Hypothesis> selected = selected_hypotheses(study);
  return std::ranges::any_of(selected, same);
}

}  // namespace kernel

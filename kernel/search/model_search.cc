#include "kernel/search/model_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "kernel/domain/cells.h"
#include "kernel/search/search_space.h"
#include "kernel/search/two_metrics.h"
#include "kernel/study/continuation.h"
#include "stats/basics/random.h"

namespace kernel {

namespace {

/// Limits of what one proposal looks at: all cells if there are no more, random points, points near each of the best,
/// and rounds in which the best so far are varied.
constexpr std::size_t few_cells = 2000;
constexpr int random_points = 1024, centres = 5, near_each = 48, leaders = 6, varied_each = 24, rounds = 8;
/// Points that the model is fitted to: of more, the best and those measured most.
constexpr std::size_t most_points = 250;
/// What is proposed, and the best that are run again at the end, have at least this chance not to fail, unless nothing
/// has: where little is left to gain, the product of gain and chance would send run after run to where all fail.
constexpr double sure_enough = 0.7, behind_all_others = 1e12;
/// Proposals that run beside one another are at least this far from each other, in the same measure.
constexpr double apart_by = 0.04;
/// Settings among which the last runs decide.
constexpr int few_to_decide = 10;
/// The logarithm of a chance not to fail, as it is added to that of a gain.
double log_chance(double chance) {
  return std::log(chance) - (chance < sure_enough ? behind_all_others : 0);
}

/// Names of a factor's levels in the order of their numbers; in file order for texts.
std::vector<std::string> ordered_levels(const Factor& factor) {
  std::vector<std::pair<double, std::string>> order;
  for (const Level& level : factor.levels)
    order.emplace_back(is_numeric(factor) ? *level.value.number : static_cast<double>(order.size()), level.name);
  std::ranges::stable_sort(order, {}, &std::pair<double, std::string>::first);
  std::vector<std::string> names;
  for (auto& [number, name] : order) names.push_back(std::move(name));
  return names;
}

}  // namespace

std::vector<Rung> model_rungs(const StudySpec& spec, std::int64_t runs, int beside, LastRuns last_runs) {
  ETUDE_ASSERT(runs >= 2);
  const int all = static_cast<int>(std::min<std::int64_t>(runs, most_model_runs));
  const int axes = static_cast<int>(searched_factors(spec).size());
  const int top = spec.design.confirm->top;
  // The baseline and few others: the model learns more from where it chooses to look.
  const int first = std::clamp(5 + axes / 2, 1, std::max(1, all / 3));
  const int finalists = top + 2, again = std::clamp(all / 8 / finalists, 1, spec.design.replicates_max);
  const int last = all - 1 - first > finalists * again ? finalists * again : 0;
  const int batch = std::clamp(beside, 1, std::clamp(all / 12, 1, 8));
  std::vector<Rung> rungs;
  const auto add = [&](int candidates, int replicates, bool proposes) -> Rung& {
    Rung& rung = rungs.emplace_back();
    rung.candidates = candidates;
    rung.replicates = replicates;
    rung.proposes = proposes;
    return rung;
  };
  add(first, 1, false);
  for (int left = all - 1 - first - last; left > 0; left -= batch) add(std::min(left, batch), 1, true);
  if (last_runs == LastRuns::at_once || !spec.objectives.empty()) {
    if (last > 0) add(finalists, again, true).decides = true;
  } else {
    for (int left = last; left > 0; left -= batch) add(std::min(left, batch), 1, true).decides = true;
  }
  give_seeds(rungs);
  return rungs;
}

std::vector<Rung> model_halving_rungs(const StudySpec& spec, std::int64_t runs) {
  ETUDE_ASSERT(spec.fidelity);
  const int all = static_cast<int>(std::min<std::int64_t>(runs, most_model_runs));
  const int finalists = spec.design.confirm->top + 2;
  const std::vector<std::string> levels = fidelity_levels(spec);
  const int eta = spec.fidelity->eta;
  // A round begins with `widest` settings at the lowest level; about one is left at the highest.
  int widest = 1;
  for (std::size_t i = 1; i < levels.size() && widest < all / 6; ++i) widest *= eta;
  std::vector<Rung> round;
  int cost = 0;
  for (int n = widest; const std::string& level : levels) {
    Rung& rung = round.emplace_back();
    rung.candidates = n;
    rung.replicates = 1;
    rung.fidelity = level;
    cost += n;
    n = survivors(n, eta, 1);
  }
  const int again = std::clamp(all / 8 / finalists, 1, spec.design.replicates_max);
  const int baselines = static_cast<int>(levels.size());
  int left = all - cost - baselines - finalists * again;
  if (left < cost) return {};
  std::vector<Rung> rungs = round;
  round.front().proposes = true;
  for (std::size_t i = 1; i < round.size(); ++i) round[i].thaws = has_continued_runs(spec);
  for (; left >= cost; left -= cost) rungs.insert(rungs.end(), round.begin(), round.end());
  Rung& last = rungs.emplace_back();
  last.candidates = finalists;
  last.replicates = again;
  last.fidelity = levels.back();
  last.proposes = last.decides = true;
  give_seeds(rungs, has_continued_runs(spec));
  return rungs;
}

ResponseModel::ResponseModel(const StudySpec& spec, const Metric& metric, const std::vector<CellOutcome>& outcomes)
    : spec_(&spec),
      factors_(searched_factors(spec)),
      axes_(factors_.size()),
      better_(metric.goal == Goal::minimize ? 1 : -1) {
  if (spec.fidelity) factors_.push_back(spec.factor(spec.fidelity->factor));
  for (const Factor* factor : factors_) categorical_.push_back(!is_numeric(*factor));
  all_ = all_cells(spec, few_cells);
  worst_ = -std::numeric_limits<double>::infinity();
  std::map<Cell, std::vector<double>> values;
  for (const CellOutcome& o : outcomes) {
    Tried& tried = tried_[o.cell];
    if (tried.at.empty()) {
      tried.setting = o.cell;
      if (spec.fidelity) tried.setting.erase(spec.fidelity->factor);
      tried.at = position(o.cell);
      tried.highest = position(tried.setting);
    }
    if (o.value) {
      values[o.cell].push_back(better_ * *o.value);
      worst_ = std::max(worst_, better_ * *o.value);
    } else {
      ++tried.failed;
    }
  }
  std::vector<const Tried*> measured;
  for (const auto& [cell, own] : values) {
    Tried& tried = tried_.at(cell);
    tried.n = static_cast<int>(own.size());
    for (const double value : own) tried.mean += value / tried.n;
    for (const double value : own) tried.squares += (value - tried.mean) * (value - tried.mean);
    measured.push_back(&tried);
  }
  std::vector<RunsAt> runs;
  for (const auto& [cell, tried] : tried_) runs.push_back({tried.at, tried.n, tried.failed});
  if (auto learned = FailureModel::learned(categorical_, axes_, std::move(runs)))
    failures_.emplace(std::move(*learned));
  if (measured.size() < 2) return;
  if (measured.size() > most_points) {
    std::ranges::stable_sort(measured, {}, [](const Tried* t) { return std::pair(-t->n, t->mean); });
    measured.resize(most_points);
  }
  std::vector<stats::ObservedPoint> points;
  for (const Tried* tried : measured) points.push_back({tried->at, tried->n, tried->mean, tried->squares});
  process_.emplace(categorical_, std::move(points));
}

std::vector<double> ResponseModel::position(const Cell& cell) const {
  std::vector<double> at;
  for (const Factor* factor : factors_) {
    if (at.size() == axes_ && !cell.contains(factor->name)) {
      at.push_back(1);
      continue;
    }
    const std::string& level = cell.at(factor->name);
    if (factor->range) {
      at.push_back(std::clamp(range_share(*factor, number_of(level)), 0.0, 1.0));
      continue;
    }
    const std::vector<std::string> levels = ordered_levels(*factor);
    const auto place = std::ranges::find(levels, level) - levels.begin();
    at.push_back(levels.size() < 2 ? 0.5 : static_cast<double>(place) / static_cast<double>(levels.size() - 1));
  }
  return at;
}

std::optional<Cell> ResponseModel::cell_at(const std::vector<double>& point) const {
  Cell cell;
  for (std::size_t i = 0; i < axes_; ++i) {
    const Factor& factor = *factors_[i];
    const double share = std::clamp(point[i], 0.0, 1.0);
    if (factor.range) {
      cell[factor.name] = range_text(factor, share);
    } else {
      const std::vector<std::string> levels = ordered_levels(factor);
      cell[factor.name] = levels[static_cast<std::size_t>(std::lround(share * static_cast<double>(levels.size() - 1)))];
    }
  }
  return is_allowed(*spec_, cell) ? std::optional(std::move(cell)) : std::nullopt;
}

/// The squared distance in the space of shares of ranges, for three dimensions; two categories are 1 apart.
double ResponseModel::apart(const std::vector<double>& one, const std::vector<double>& other) const {
  double squares = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double by = one[i] - other[i];
    squares += categorical_[i] ? (std::abs(by) > 1e-9 ? 1 : 0) : by * by;
  }
  return 3 * squares / static_cast<double>(one.size());
}

bool ResponseModel::is_near_any(const std::vector<double>& point,
                                const std::vector<std::vector<double>>& others) const {
  return std::ranges::any_of(others, [&](const auto& other) { return apart(point, other) < apart_by * apart_by; });
}

double ResponseModel::feasible(const std::vector<double>& point) const {
  return failures_ ? failures_->chance(point) : 1;
}

struct ResponseModel::Scored {
  double score = 0;
  Cell cell;
  std::vector<double> at;
};

/// Places of the cells with the best estimates.
std::vector<std::vector<double>> ResponseModel::best_tried() const {
  std::vector<std::pair<double, const Tried*>> known;
  for (const auto& [cell, tried] : tried_)
    if (tried.n > 0) known.emplace_back(process_ ? process_->at(tried.highest).mean : tried.mean, &tried);
  std::ranges::stable_sort(known, {}, &std::pair<double, const Tried*>::first);
  std::vector<std::vector<double>> places;
  for (std::size_t i = 0; i < known.size() && i < centres; ++i) places.push_back(known[i].second->highest);
  return places;
}

/// Cells with the highest scores, best first: all cells if they are few; else random points, points near `near`, and
/// variations of what scored best. A score of −∞ is left out.
template <typename Score>
std::vector<ResponseModel::Scored> ResponseModel::searched(const Score& score,
                                                           const std::vector<std::vector<double>>& near,
                                                           std::uint64_t seed) const {
  std::vector<Scored> found;
  std::set<Cell> seen;
  const auto look = [&](std::optional<Cell> cell) {
    if (!cell || !seen.insert(*cell).second) return;
    std::vector<double> at = position(*cell);
    const double value = score(*cell, at);
    if (value > -std::numeric_limits<double>::infinity()) found.push_back({value, std::move(*cell), std::move(at)});
  };
  const auto keep = [&](std::size_t most) {
    std::ranges::stable_sort(found, std::greater(), &Scored::score);
    if (found.size() > most) found.resize(most);
  };
  if (all_) {
    for (const Cell& cell : *all_) look(cell);
    keep(few_cells);
    return found;
  }
  stats::Xoshiro random(seed);
  const std::size_t axes = axes_;
  std::vector<double> point(axes);
  const double often = std::max(0.5, 2 / static_cast<double>(axes));
  const auto vary = [&](const std::vector<double>& centre, double reach) {
    for (std::size_t i = 0; i < axes; ++i) {
      point[i] = centre[i];
      const bool moves = random.uniform() < often;
      const double by = random.normal(), anew = random.uniform(), where = random.uniform();
      if (categorical_[i])
        point[i] = anew < 0.2 ? where : centre[i];
      else if (moves)
        point[i] = std::clamp(centre[i] + reach * by, 0.0, 1.0);
    }
    look(cell_at(point));
  };
  for (int i = 0; i < random_points; ++i) {
    for (double& share : point) share = random.uniform();
    look(cell_at(point));
  }
  for (const std::vector<double>& centre : near)
    for (const double reach : {0.2, 0.05, 0.01})
      for (int j = 0; j < near_each; ++j) vary(centre, reach);
  double reach = 0.1;
  for (int round = 0; round < rounds; ++round, reach *= 0.55) {
    keep(leaders);
    const std::vector<Scored> best = found;
    for (const Scored& b : best)
      for (int j = 0; j < varied_each; ++j) vary(b.at, reach);
  }
  keep(leaders);
  return found;
}

std::vector<Cell> ResponseModel::proposals(int count, std::uint64_t seed) const {
  std::vector<Cell> cells;
  std::vector<std::vector<double>> taken;
  if (!process_) {
    std::set<Cell> known;
    for (const auto& [cell, tried] : tried_) known.insert(tried.setting);
    cells = sampled_cells(*spec_, count, known, seed);
    if (cells.empty()) cells = sampled_cells(*spec_, count, {}, seed);
    return cells;
  }
  stats::GaussianProcess process = stats::GaussianProcess(*process_);
  const double best = best_expected(process);
  for (int i = 0; i < count; ++i) {
    const auto score = [&](const Cell&, const std::vector<double>& at) {
      if (is_near_any(at, taken)) return -std::numeric_limits<double>::infinity();
      return stats::log_expected_improvement(process.at(at), best) + log_chance(feasible(at));
    };
    std::vector<Scored> found = searched(score, best_tried(), seed + static_cast<std::uint64_t>(i));
    if (found.empty()) break;
    process.believe(found.front().at);
    taken.push_back(found.front().at);
    cells.push_back(std::move(found.front().cell));
  }
  return cells;
}

std::vector<Cell> ResponseModel::best(int count, std::uint64_t seed) const {
  std::vector<Cell> cells;
  const Cell baseline = baseline_cell(*spec_, false);
  const auto score = [&](const Cell& cell, const std::vector<double>& at) {
    if (cell == baseline || feasible(at) < sure_enough) return -std::numeric_limits<double>::infinity();
    return -process_->at(at).mean;
  };
  if (process_)
    if (std::vector<Scored> anywhere = searched(score, best_tried(), seed); !anywhere.empty())
      cells.push_back(anywhere.front().cell);
  std::vector<std::pair<double, const Cell*>> known;
  for (const auto& [cell, tried] : tried_)
    if (tried.setting != baseline && tried.n > tried.failed)
      known.emplace_back(process_ ? process_->at(tried.highest).mean : tried.mean, &tried.setting);
  std::ranges::stable_sort(known, {}, &std::pair<double, const Cell*>::first);
  for (const auto& [mean, cell] : known)
    if (static_cast<int>(cells.size()) < count && std::ranges::find(cells, *cell) == cells.end())
      cells.push_back(*cell);
  return cells.empty() ? proposals(count, seed) : cells;
}

std::vector<Cell> ResponseModel::most_promising(std::vector<Cell> settings, std::size_t count) const {
  if (!process_) {
    settings.resize(std::min(count, settings.size()));
    return settings;
  }
  stats::GaussianProcess process = stats::GaussianProcess(*process_);
  const double least = best_expected(process);
  std::vector<Cell> chosen;
  while (chosen.size() < count && !settings.empty()) {
    std::vector<double> scores;
    for (const Cell& setting : settings) {
      const std::vector<double> at = position(setting);
      scores.push_back(stats::log_expected_improvement(process.at(at), least) + log_chance(feasible(at)));
    }
    const auto next = std::ranges::max_element(scores) - scores.begin();
    process.believe(position(settings[static_cast<std::size_t>(next)]));
    chosen.push_back(std::move(settings[static_cast<std::size_t>(next)]));
    settings.erase(settings.begin() + next);
  }
  return chosen;
}

/// The best estimate of the settings tried, at the highest fidelity.
double ResponseModel::best_expected(const stats::GaussianProcess& process) const {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [cell, tried] : tried_)
    if (tried.n > 0) best = std::min(best, process.at(tried.highest).mean);
  return best;
}

std::vector<Cell> ResponseModel::deciding(int count, std::uint64_t seed) const {
  if (!process_) return best(count, seed);
  std::vector<Cell> left = best(std::max(few_to_decide, count), seed), cells;
  std::erase_if(left, [&](const Cell& cell) {
    const auto tried = tried_.find(cell);
    return tried != tried_.end() && tried->second.n + tried->second.failed > spec_->design.replicates_max;
  });
  stats::GaussianProcess process = stats::GaussianProcess(*process_);
  std::vector<std::vector<double>> places;
  std::vector<double> noise;
  for (const Cell& cell : left) {
    places.push_back(position(cell));
    noise.push_back(std::pow(process.noise_sd(places.back()), 2));
  }
  while (static_cast<int>(cells.size()) < count && !left.empty()) {
    const std::vector<double> gains = stats::knowledge_gradients(process.belief(places), noise);
    const auto next = std::ranges::max_element(gains) - gains.begin();
    process.believe(places[static_cast<std::size_t>(next)]);
    cells.push_back(std::move(left[static_cast<std::size_t>(next)]));
    left.erase(left.begin() + next);
    places.erase(places.begin() + next);
    noise.erase(noise.begin() + next);
  }
  return cells.empty() ? best(count, seed) : cells;
}

std::optional<stats::Predicted> ResponseModel::estimate(const Cell& cell) const {
  const auto found = tried_.find(cell);
  if (!process_ || found == tried_.end() || found->second.n == 0) return std::nullopt;
  const Tried& tried = found->second;
  stats::Predicted expected = process_->at(tried.at);
  const double failed = static_cast<double>(tried.failed) / (tried.n + tried.failed);
  expected.mean = better_ * ((1 - failed) * expected.mean + failed * worst_);
  return expected;
}

TwoResponses::TwoResponses(const StudySpec& spec, const std::array<std::vector<CellOutcome>, 2>& outcomes,
                           const stats::TwoValues& reference)
    : spec_(&spec),
      reference_(reference),
      models_{ResponseModel(spec, *spec.metric(spec.objectives.at(0).metric), outcomes[0]),
              ResponseModel(spec, *spec.metric(spec.objectives.at(1).metric), outcomes[1])} {}

stats::TwoValues TwoResponses::expected(const std::vector<double>& point) const {
  return {models_[0].process_->at(point).mean, models_[1].process_->at(point).mean};
}

std::vector<Cell> TwoResponses::proposals(int count, std::uint64_t seed) const {
  const ResponseModel& first = models_[0];
  if (!first.process_) return first.proposals(count, seed);
  std::array<stats::GaussianProcess, 2> processes = {*first.process_, *models_[1].process_};
  const stats::TwoValues limits = limits_of(*spec_);
  const stats::TwoValues within = {std::min(reference_[0], limits[0]), std::min(reference_[1], limits[1])};
  std::vector<std::vector<double>> places;
  std::vector<stats::TwoValues> points;
  for (const auto& [cell, tried] : first.tried_) {
    if (tried.n == 0) continue;
    places.push_back(tried.at);
    points.push_back(expected(tried.at));
  }
  std::vector<std::vector<double>> near;
  for (const std::size_t i : stats::widest(points, {}, within, centres)) near.push_back(places[i]);
  std::vector<Cell> cells;
  std::vector<std::vector<double>> taken;
  for (int i = 0; i < count; ++i) {
    const auto score = [&](const Cell&, const std::vector<double>& at) {
      if (first.is_near_any(at, taken)) return -std::numeric_limits<double>::infinity();
      const double gain =
          stats::log_expected_hypervolume_improvement({processes[0].at(at), processes[1].at(at)}, points, within);
      return gain + log_chance(std::min(first.feasible(at), models_[1].feasible(at)));
    };
    auto found = first.searched(score, near.empty() ? first.best_tried() : near, seed + static_cast<std::uint64_t>(i));
    if (found.empty()) break;
    const std::vector<double>& at = found.front().at;
    points.push_back({processes[0].at(at).mean, processes[1].at(at).mean});
    for (stats::GaussianProcess& process : processes) process.believe(at);
    taken.push_back(at);
    cells.push_back(std::move(found.front().cell));
  }
  return cells.empty() ? sampled_cells(*spec_, count, {}, seed) : cells;
}

std::vector<Cell> TwoResponses::best(int count, std::uint64_t seed) const {
  const ResponseModel& first = models_[0];
  if (!first.process_) return first.best(count, seed);
  const Cell baseline = baseline_cell(*spec_, false);
  std::vector<Cell> left, cells;
  std::vector<stats::TwoValues> points, held;
  for (const auto& [cell, tried] : first.tried_) {
    if (cell == baseline && tried.n > 0) held.push_back(expected(tried.at));
    if (cell == baseline || tried.n <= tried.failed) continue;
    left.push_back(cell);
    points.push_back(expected(tried.at));
  }
  while (static_cast<int>(cells.size()) < count && !left.empty()) {
    const std::size_t more = static_cast<std::size_t>(count) - cells.size();
    std::vector<std::size_t> taken = choice(*spec_, points, held, reference_, more);
    for (const std::size_t i : taken) cells.push_back(left[i]);
    std::ranges::sort(taken, std::greater());
    for (const std::size_t i : taken) {
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      points.erase(points.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return cells.empty() ? proposals(count, seed) : cells;
}

std::array<std::optional<stats::Predicted>, 2> TwoResponses::estimates(const Cell& cell) const {
  return {models_[0].estimate(cell), models_[1].estimate(cell)};
}

}  // namespace kernel

#include "kernel/search/search_space.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernel/domain/cells.h"
#include "stats/basics/random.h"
#include "stats/designs/latin_hypercube.h"

namespace kernel {

namespace {

/// Limits on the comparisons of points that all tries of a hypercube take together, and on the tries.
constexpr int most_comparisons = 4'000'000, most_tries = 50;

std::size_t level_index(const Factor& factor, const std::string& name) {
  for (std::size_t i = 0; i < factor.levels.size(); ++i)
    if (factor.levels[i].name == name) return i;
  throw std::logic_error("factor " + factor.name + " has no level " + name);
}

std::string level_at(const Factor& factor, double share) {
  if (factor.range) return range_text(factor, share);
  const auto count = static_cast<double>(factor.levels.size());
  return factor.levels[static_cast<std::size_t>(std::min(count - 1, std::floor(share * count)))].name;
}

int tries_for(int points) {
  return std::clamp(most_comparisons / std::max(1, points * points), 1, most_tries);
}

/// The level that `share` (0 to 1) selects near `from`: for numeric levels the one below, the same, or the one above.
std::string neighbour(const Factor& factor, const std::string& from, double share, double reach) {
  if (factor.range) {
    const double centre = range_share(factor, number_of(from));
    return range_text(factor, std::clamp(centre + (2 * share - 1) * reach, 0.0, 1.0));
  }
  const std::size_t at = level_index(factor, from), count = factor.levels.size();
  if (is_numeric(factor)) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < count; ++i) order.emplace_back(*factor.levels[i].value.number, i);
    std::ranges::sort(order);
    const auto place = static_cast<std::size_t>(
        std::ranges::find_if(order, [&](const auto& o) { return o.second == at; }) - order.begin());
    if (share < 1.0 / 3 && place > 0) return factor.levels[order[place - 1].second].name;
    if (share > 2.0 / 3 && place + 1 < count) return factor.levels[order[place + 1].second].name;
    return from;
  }
  if (share < 0.5) return from;
  const auto other = static_cast<std::size_t>((2 * share - 1) * static_cast<double>(count - 1));
  return factor.levels[(at + 1 + std::min(other, count - 2)) % count].name;
}

/// Cells that differ from the centre in one factor, by one step.
std::vector<Cell> one_step(const std::vector<const Factor*>& factors, const Cell& centre) {
  std::vector<Cell> cells;
  for (const Factor* factor : factors) {
    if (factor->range) continue;
    const std::string& from = centre.at(factor->name);
    std::set<std::string> others;
    if (is_numeric(*factor)) {
      others = {neighbour(*factor, from, 0, 0), neighbour(*factor, from, 1, 0)};
    } else {
      for (const Level& level : factor->levels) others.insert(level.name);
    }
    for (const Level& level : factor->levels) {
      if (level.name == from || !others.contains(level.name)) continue;
      cells.push_back(centre);
      cells.back()[factor->name] = level.name;
    }
  }
  return cells;
}

}  // namespace

bool is_numeric(const Factor& factor) {
  return factor.range || std::ranges::all_of(factor.levels, [](const Level& level) {
           return level.bundle.empty() && level.value.number;
         });
}

std::vector<const Factor*> searched_factors(const StudySpec& spec) {
  std::vector<const Factor*> factors;
  for (const Factor& factor : spec.factors)
    if (!spec.fidelity || factor.name != spec.fidelity->factor) factors.push_back(&factor);
  return factors;
}

std::vector<std::string> fidelity_levels(const StudySpec& spec) {
  const Factor* factor = spec.fidelity ? spec.factor(spec.fidelity->factor) : nullptr;
  std::vector<std::pair<double, std::string>> levels;
  if (factor)
    for (const Level& level : factor->levels) levels.emplace_back(level.value.number.value_or(0), level.name);
  std::ranges::stable_sort(levels, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [number, name] : levels) names.push_back(name);
  return names;
}

Cell baseline_cell(const StudySpec& spec, bool with_fidelity) {
  Cell cell;
  for (const Factor* factor : searched_factors(spec))
    cell[factor->name] = factor->baseline ? *factor->baseline : factor->levels.front().name;
  if (spec.fidelity && with_fidelity) cell[spec.fidelity->factor] = fidelity_levels(spec).back();
  return cell;
}

Cell code_cell(const StudySpec& spec, const std::string& version) {
  Cell cell = baseline_cell(spec, true);
  cell[code_factor] = version;
  return cell;
}

bool is_allowed(const StudySpec& spec, const Cell& cell) {
  if (!spec.fidelity) return !is_excluded(spec, cell);
  for (const std::string& level : fidelity_levels(spec)) {
    Cell whole = cell;
    whole[spec.fidelity->factor] = level;
    if (is_excluded(spec, whole)) return false;
  }
  return true;
}

std::optional<std::vector<Cell>> all_cells(const StudySpec& spec, std::size_t most) {
  std::vector<Cell> cells{{}};
  for (const Factor* factor : searched_factors(spec)) {
    if (factor->range || cells.size() * factor->levels.size() > 100 * most) return std::nullopt;
    std::vector<Cell> wider;
    for (const Cell& cell : cells)
      for (const Level& level : factor->levels) {
        wider.push_back(cell);
        wider.back()[factor->name] = level.name;
      }
    cells = std::move(wider);
  }
  std::erase_if(cells, [&](const Cell& cell) { return !is_allowed(spec, cell); });
  if (cells.size() > most) return std::nullopt;
  return cells;
}

std::vector<Cell> sampled_cells(const StudySpec& spec, int count, const std::set<Cell>& without, std::uint64_t seed) {
  const std::vector<const Factor*> factors = searched_factors(spec);
  std::vector<Cell> cells;
  std::set<Cell> taken = without;
  const auto take = [&](const std::vector<double>& point) {
    Cell cell;
    for (std::size_t i = 0; i < factors.size(); ++i) cell[factors[i]->name] = level_at(*factors[i], point[i]);
    if (is_allowed(spec, cell) && taken.insert(cell).second) cells.push_back(std::move(cell));
  };
  for (const auto& point : stats::latin_hypercube(count, static_cast<int>(factors.size()), seed, tries_for(count)))
    take(point);
  stats::Xoshiro random(seed ^ 0x9e3779b97f4a7c15);
  std::vector<double> point(factors.size());
  for (int draws = 0; static_cast<int>(cells.size()) < count && draws < 200 * count; ++draws) {
    for (double& share : point) share = random.uniform();
    take(point);
  }
  return cells;
}

std::vector<Cell> cells_around(const StudySpec& spec, const Cell& centre, int count, double reach,
                               const std::set<Cell>& without, const std::set<Cell>& seen, std::uint64_t seed) {
  const std::vector<const Factor*> factors = searched_factors(spec);
  const bool ranges = std::ranges::any_of(factors, [](const Factor* f) { return f->range.has_value(); });
  std::vector<Cell> unseen, known;
  std::set<Cell> taken = without;
  const auto take = [&](Cell cell) {
    if (!is_allowed(spec, cell) || !taken.insert(cell).second) return;
    (seen.contains(cell) ? known : unseen).push_back(std::move(cell));
  };
  if (ranges) {
    const int points = 2 * count;
    for (const auto& point :
         stats::latin_hypercube(points, static_cast<int>(factors.size()), seed, tries_for(points))) {
      Cell cell;
      for (std::size_t i = 0; i < factors.size(); ++i)
        cell[factors[i]->name] = neighbour(*factors[i], centre.at(factors[i]->name), point[i], reach);
      take(std::move(cell));
    }
  } else {
    for (Cell& cell : one_step(factors, centre)) take(std::move(cell));
  }
  unseen.insert(unseen.end(), known.begin(), known.end());
  if (static_cast<int>(unseen.size()) > count) unseen.resize(static_cast<std::size_t>(count));
  return unseen;
}

int survivors(int candidates, int eta, int top) {
  return std::min(candidates, std::max(top, (candidates + eta - 1) / eta));
}

std::vector<Rung> halving_rungs(const HalvingShape& shape) {
  std::vector<Rung> rungs;
  for (int n = shape.candidates;; n = survivors(n, shape.eta, shape.top)) {
    Rung rung;
    rung.candidates = n;
    rungs.push_back(rung);
    if (survivors(n, shape.eta, shape.top) <= shape.top) break;
  }
  const int count = static_cast<int>(rungs.size()), levels = static_cast<int>(shape.fidelities.size());
  int replicates = shape.replicates_min;
  for (int i = 0; i < count; ++i) {
    Rung& rung = rungs[static_cast<std::size_t>(i)];
    rung.replicates = replicates;
    if (levels > 0)
      rung.fidelity = shape.fidelities[static_cast<std::size_t>(std::max(0, levels - count + i))];
    else
      replicates = std::max(replicates, std::min(shape.replicates_max, replicates * shape.eta));
  }
  if (shape.refined > 0) {
    Rung rung = rungs.back();
    rung.candidates = std::min(shape.candidates, shape.top) + shape.refined;
    rung.refines = true;
    rungs.push_back(rung);
  }
  give_seeds(rungs, shape.continues);
  return rungs;
}

bool rises(const std::vector<Rung>& rungs, std::size_t rung) {
  if (rung == 0 || rung >= rungs.size() || rungs[rung].refines || rungs[rung].proposes) return false;
  return !rungs[rung].fidelity.empty() && rungs[rung].fidelity != rungs[rung - 1].fidelity;
}

void give_seeds(std::vector<Rung>& rungs, bool continues) {
  int seeds = 0;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const bool same = continues && rises(rungs, i);
    rungs[i].first_seed = same ? rungs[i - 1].first_seed : seeds;
    seeds = std::max(seeds, rungs[i].first_seed + rungs[i].replicates);
  }
}

int seeds_of(const std::vector<Rung>& rungs) {
  int seeds = 0;
  for (const Rung& rung : rungs) seeds = std::max(seeds, rung.first_seed + rung.replicates);
  return seeds;
}

bool has_baseline(const std::vector<Rung>& rungs, std::size_t rung) {
  return std::none_of(rungs.begin(), rungs.begin() + static_cast<std::ptrdiff_t>(rung) + 1,
                      [](const Rung& r) { return r.proposes; });
}

std::int64_t runs_of(const std::vector<Rung>& rungs) {
  std::int64_t runs = 0;
  bool baseline = true;
  for (const Rung& rung : rungs) {
    baseline = baseline && !rung.proposes;
    runs += ((baseline ? 1 : 0) + std::int64_t{rung.candidates}) * rung.replicates;
  }
  return runs;
}

}  // namespace kernel

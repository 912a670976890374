#include "kernel/search/screening.h"

#include <algorithm>

#include "kernel/domain/cells.h"
#include "kernel/search/search_space.h"
#include "stats/designs/fractional_factorial.h"

namespace kernel {

namespace {

constexpr int largest_base = 7;
constexpr std::int64_t points_per_factor = 10, most_full = 100'000;

bool two_levels(const StudySpec& spec) {
  return std::ranges::all_of(spec.factors,
                             [](const Factor& factor) { return !factor.range && factor.levels.size() == 2; });
}

/// The number of cells before constraints; none if there is a range, or if there are too many to count.
std::optional<std::int64_t> spanned(const StudySpec& spec) {
  std::int64_t cells = 1;
  for (const Factor& factor : spec.factors) {
    if (factor.range) return std::nullopt;
    cells *= static_cast<std::int64_t>(factor.levels.size());
    if (cells > most_full) return std::nullopt;
  }
  return cells;
}

std::string product(const StudySpec& spec, stats::FactorSet set) {
  std::string text;
  for (std::size_t i = 0; i < spec.factors.size(); ++i)
    if (set >> i & 1) text += (text.empty() ? "" : "×") + spec.factors[i].name;
  return text;
}

ScreenDesign fraction_of(const StudySpec& spec, int base) {
  const int factors = static_cast<int>(spec.factors.size());
  const stats::RegularFraction fraction = stats::best_fraction(factors, base);
  ScreenDesign design;
  design.design = SearchDesign::fraction;
  design.resolution = stats::resolution(fraction);
  for (int i = fraction.base; i < factors; ++i)
    design.generators.push_back(spec.factors[static_cast<std::size_t>(i)].name + " = " +
                                product(spec, fraction.columns[static_cast<std::size_t>(i)]));
  for (const auto& set : stats::alias_sets(fraction)) {
    std::string line;
    for (const stats::FactorSet effect : set) line += (line.empty() ? "" : " = ") + product(spec, effect);
    design.aliases.push_back(std::move(line));
  }
  for (const auto& row : stats::design_matrix(fraction)) {
    Cell cell;
    for (std::size_t i = 0; i < row.size(); ++i)
      cell[spec.factors[i].name] = spec.factors[i].levels[row[i] > 0 ? 1 : 0].name;
    design.cells.push_back(std::move(cell));
  }
  return design;
}

ScreenDesign hypercube_of(const StudySpec& spec, std::int64_t most_cells) {
  ScreenDesign design;
  design.design = SearchDesign::latin;
  std::int64_t unknowns = 1;
  for (const Factor& factor : spec.factors)
    unknowns += factor.range ? 1 : static_cast<std::int64_t>(factor.levels.size()) - 1;
  const auto wanted = std::max(unknowns + 2, points_per_factor * static_cast<std::int64_t>(spec.factors.size()));
  const auto points = std::max(unknowns + 2, std::min(wanted, most_cells));
  design.cells = sampled_cells(spec, static_cast<int>(points), {}, spec.seed ^ 0x5c4ee7);
  if (static_cast<std::int64_t>(design.cells.size()) < unknowns + 2)
    design.problem = {ReasonCode::cells_short_of_effects,
                      {{"cells", static_cast<std::int64_t>(design.cells.size())}, {"effects", unknowns - 1}}};
  return design;
}

}  // namespace

ScreenDesign screen_design(const StudySpec& spec, std::int64_t most_cells) {
  const std::optional<std::int64_t> all = spanned(spec);
  if (all && *all <= std::max(most_cells, std::int64_t{2})) {
    ScreenDesign design;
    design.cells = crossed(spec, {});
    if (design.cells.size() < 2) design.problem = {ReasonCode::cells_too_few};
    return design;
  }
  if (!two_levels(spec)) return hypercube_of(spec, most_cells);
  const int factors = static_cast<int>(spec.factors.size());
  if (!spec.excludes.empty()) {
    ScreenDesign design;
    design.problem = {ReasonCode::fraction_unbalanced, {{"factors", factors}}};
    return design;
  }
  if (factors > stats::most_fraction_factors) return hypercube_of(spec, most_cells);
  int base = 2;
  while (factors >= 1 << base) ++base;
  while (base < std::min(largest_base, factors - 1) && std::int64_t{2} << base <= most_cells) ++base;
  return fraction_of(spec, base);
}

bool tells_interactions(const StudySpec& spec, SearchDesign design, int resolution) {
  if (!two_levels(spec) || !spec.excludes.empty()) return false;
  return design == SearchDesign::full || (design == SearchDesign::fraction && resolution >= 5);
}

}  // namespace kernel

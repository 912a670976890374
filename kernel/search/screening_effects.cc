#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kernel/domain/cells.h"
#include "kernel/search/screening.h"
#include "stats/basics/distributions.h"
#include "stats/designs/least_squares.h"

namespace kernel {

namespace {

using Row = std::vector<double>;

/// The columns of one factor or interaction in the model.
struct Term {
  const Factor* factor = nullptr;
  const Factor* other = nullptr;  ///< The second factor of an interaction.
  std::size_t first = 0, columns = 1;
};

double range_point(const Factor& factor, const std::string& level) {
  const Level* known = factor.level(level);
  return range_share(factor, known && known->value.number ? *known->value.number : factor.range->low) - 0.5;
}

/// Codes two levels as ±½, so that the coefficient is the difference of their means.
double half(const Factor& factor, const std::string& level) {
  return factor.levels[1].name == level ? 0.5 : -0.5;
}

/// Adds the columns of one factor at one of its levels; they sum to 0 over the levels.
void add_columns(const Factor& factor, const std::string& level, Row& row) {
  if (factor.range) return row.push_back(range_point(factor, level));
  if (factor.levels.size() == 2) return row.push_back(half(factor, level));
  for (std::size_t i = 0; i + 1 < factor.levels.size(); ++i)
    row.push_back(factor.levels[i].name == level ? 1 : factor.levels.back().name == level ? -1 : 0);
}

using Values = std::map<Cell, std::vector<std::pair<std::uint64_t, double>>>;

Values values_of(std::span<const RunValue> runs) {
  Values values;
  for (const RunValue& run : runs)
    if (!run.failed && run.value && std::isfinite(*run.value)) values[*run.cell].emplace_back(run.seed, *run.value);
  return values;
}

/// A factor cannot be estimated, and would make the fit singular, if no run of one of its levels succeeded.
bool is_measured(const Factor& factor, const Values& values) {
  if (factor.range) return true;
  std::set<std::string> levels;
  for (const auto& [cell, list] : values) levels.insert(cell.at(factor.name));
  return levels.size() == factor.levels.size();
}

class Model {
 public:
  Model(const StudySpec& spec, bool interactions, const Values& values) {
    std::vector<const Factor*> measured;
    for (const Factor& factor : spec.factors) {
      if (!is_measured(factor, values)) {
        terms_.push_back({&factor, nullptr, 0, 0});
        continue;
      }
      measured.push_back(&factor);
      terms_.push_back({&factor, nullptr, columns_, width(factor)});
      columns_ += width(factor);
    }
    if (!interactions) return;
    for (std::size_t i = 0; i < measured.size(); ++i)
      for (std::size_t j = i + 1; j < measured.size(); ++j) terms_.push_back({measured[i], measured[j], columns_++, 1});
  }

  const std::vector<Term>& terms() const { return terms_; }
  std::size_t columns() const { return columns_; }

  /// The model row of a cell: the intercept and every term.
  Row row(const Cell& cell) const {
    Row row{1};
    for (const Term& term : terms_) {
      if (term.columns == 0) continue;
      if (term.other)
        row.push_back(2 * half(*term.factor, cell.at(term.factor->name)) *
                      half(*term.other, cell.at(term.other->name)));
      else
        add_columns(*term.factor, cell.at(term.factor->name), row);
    }
    return row;
  }

  /// The weights of the coefficients that give `high` − `low`.
  Row contrast(const Term& term, const std::string& low, const std::string& high, std::size_t all) const {
    Row weights(all, 0.0);
    if (term.other || term.factor->range) {
      weights[term.first] = 1;
      return weights;
    }
    Row at_low, at_high;
    add_columns(*term.factor, low, at_low);
    add_columns(*term.factor, high, at_high);
    for (std::size_t i = 0; i < at_low.size(); ++i) weights[term.first + i] = at_high[i] - at_low[i];
    return weights;
  }

 private:
  static std::size_t width(const Factor& factor) { return factor.range ? 1 : factor.levels.size() - 1; }

  std::vector<Term> terms_;
  std::size_t columns_ = 1;
};

struct Fitted {
  std::optional<stats::LinearFit> fit;
  std::size_t columns = 0;
  double variance = 0;
  double df = 0;
};

Fitted fit_means(const Model& model, const Values& values) {
  std::vector<Row> rows;
  Row y;
  for (const auto& [cell, list] : values) {
    double sum = 0;
    for (const auto& [seed, value] : list) sum += value;
    rows.push_back(model.row(cell));
    y.push_back(sum / static_cast<double>(list.size()));
  }
  Fitted fitted{stats::least_squares(rows, y), model.columns(), 0, 0};
  if (fitted.fit && fitted.fit->df > 0) {
    fitted.df = fitted.fit->df;
    fitted.variance = fitted.fit->residual_squares / fitted.df;
  }
  return fitted;
}

/// Adds one column per seed but the last; they sum to 0 over the seeds.
void add_blocks(const std::map<std::uint64_t, std::size_t>& blocks, std::uint64_t seed, Row& row) {
  const std::size_t at = blocks.at(seed), count = blocks.size();
  for (std::size_t i = 0; i + 1 < count; ++i) row.push_back(i == at ? 1 : at + 1 == count ? -1 : 0);
}

/// The error of replicates within cells, seeds removed (Frisch & Waugh: both sides less their cell's mean).
void pure_error(const Values& values, const std::map<std::uint64_t, std::size_t>& blocks, Fitted& fitted) {
  std::vector<Row> rows;
  Row y;
  for (const auto& [cell, list] : values) {
    std::vector<Row> own;
    Row mean(blocks.empty() ? 0 : blocks.size() - 1, 0.0);
    double centre = 0;
    for (const auto& [seed, value] : list) {
      own.emplace_back();
      if (!blocks.empty()) add_blocks(blocks, seed, own.back());
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += own.back()[i] / static_cast<double>(list.size());
      centre += value / static_cast<double>(list.size());
    }
    for (std::size_t r = 0; r < list.size(); ++r) {
      for (std::size_t i = 0; i < mean.size(); ++i) own[r][i] -= mean[i];
      rows.push_back(std::move(own[r]));
      y.push_back(list[r].second - centre);
    }
  }
  double squares = 0;
  for (const double value : y) squares += value * value;
  double taken = 0;
  if (const auto fit = stats::least_squares(rows, y)) {
    squares = fit->residual_squares;
    taken = static_cast<double>(rows.front().size());
  }
  fitted.df = static_cast<double>(y.size()) - static_cast<double>(values.size()) - taken;
  fitted.variance = fitted.df > 0 ? squares / fitted.df : 0;
}

Fitted fit_runs(const Model& model, const Values& values, bool common_seeds) {
  std::map<std::uint64_t, std::size_t> blocks;
  if (common_seeds)
    for (const auto& [cell, list] : values)
      for (const auto& [seed, value] : list) blocks.emplace(seed, blocks.size());
  if (blocks.size() < 2) blocks.clear();
  std::vector<Row> rows;
  Row y;
  for (const auto& [cell, list] : values)
    for (const auto& [seed, value] : list) {
      rows.push_back(model.row(cell));
      if (!blocks.empty()) add_blocks(blocks, seed, rows.back());
      y.push_back(value);
    }
  Fitted fitted{stats::least_squares(rows, y), rows.empty() ? 0 : rows.front().size(), 0, 0};
  pure_error(values, blocks, fitted);
  return fitted;
}

double size_of_effect(const FactorEffect& e) {
  if (!e.effect) return -1;
  return e.se && *e.se > 0 ? std::abs(*e.effect) / *e.se : std::abs(*e.effect);
}

std::array<int, 2> count_at(const Factor& factor, const FactorEffect& e, std::span<const RunValue> runs, bool failed) {
  std::array<int, 2> counts = {0, 0};
  if (factor.range) return counts;
  for (const RunValue& run : runs) {
    if (failed == (!run.failed && run.value && std::isfinite(*run.value))) continue;
    if (run.cell->at(factor.name) == e.low) ++counts[0];
    if (run.cell->at(factor.name) == e.high) ++counts[1];
  }
  return counts;
}

/// The levels to compare: each with the baseline if there is one, else every pair, the later less the earlier.
std::vector<std::pair<std::string, std::string>> pairs_of(const Factor& factor) {
  if (factor.range) return {{range_text(factor, 0), range_text(factor, 1)}};
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < factor.levels.size(); ++i)
    for (std::size_t j = i + 1; j < factor.levels.size(); ++j) {
      const std::string &a = factor.levels[i].name, &b = factor.levels[j].name;
      if (!factor.baseline || *factor.baseline == a)
        pairs.emplace_back(a, b);
      else if (*factor.baseline == b)
        pairs.emplace_back(b, a);
    }
  return pairs;
}

FactorEffect estimated(const StudySpec& spec, const Model& model, const Term& term, const Fitted& fitted,
                       const std::string& low, const std::string& high) {
  FactorEffect e;
  e.factors = {term.factor->name};
  if (term.other) e.factors.push_back(term.other->name);
  e.low = low;
  e.high = high;
  if (!fitted.fit || term.columns == 0) return e;
  const Row weights = model.contrast(term, low, high, fitted.columns);
  e.effect = fitted.fit->combined(weights);
  if (fitted.df < 1) return e;
  e.se = std::sqrt(fitted.variance * fitted.fit->variance_factor(weights));
  e.df = fitted.df;
  const double half_width = stats::t_quantile(1 - spec.design.alpha / 2, fitted.df) * *e.se;
  e.interval_low = *e.effect - half_width;
  e.interval_high = *e.effect + half_width;
  return e;
}

}  // namespace

std::vector<FactorEffect> screen_effects(const StudySpec& spec, SearchDesign design, int resolution,
                                         std::span<const RunValue> runs) {
  const Values values = values_of(runs);
  const Model model(spec, tells_interactions(spec, design, resolution), values);
  const bool common = spec.design.pairing == Pairing::seed;
  const Fitted fitted = design == SearchDesign::latin ? fit_means(model, values) : fit_runs(model, values, common);
  std::vector<FactorEffect> effects;
  for (const Term& term : model.terms()) {
    std::optional<FactorEffect> largest;
    if (term.other) {
      largest = estimated(spec, model, term, fitted, "", "");
    } else {
      for (const auto& [low, high] : pairs_of(*term.factor)) {
        FactorEffect e = estimated(spec, model, term, fitted, low, high);
        if (!largest || size_of_effect(e) > size_of_effect(*largest)) largest = std::move(e);
      }
      largest->n = count_at(*term.factor, *largest, runs, false);
      largest->failed = count_at(*term.factor, *largest, runs, true);
    }
    effects.push_back(std::move(*largest));
  }
  std::ranges::stable_sort(effects, [](const FactorEffect& a, const FactorEffect& b) {
    if (a.factors.size() != b.factors.size()) return a.factors.size() < b.factors.size();
    return size_of_effect(a) > size_of_effect(b);
  });
  return effects;
}

}  // namespace kernel

#include "kernel/domain/cells.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

namespace kernel {

namespace {

Cell merged(Cell a, const Cell& b) {
  a.insert(b.begin(), b.end());
  return a;
}

/// `cell` without the factors that `arm` fixes: the part that both arms of a contrast share.
Cell setting(Cell cell, const Cell& arm) {
  for (const auto& [factor, level] : arm) cell.erase(factor);
  return cell;
}

void add_factors(const StudySpec& spec, const StageSpec& stage, std::set<std::string>& factors) {
  factors.insert(stage.factors.begin(), stage.factors.end());
  for (const std::string& need : stage.needs) add_factors(spec, *spec.stage(need), factors);
}

}  // namespace

double number_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    throw std::logic_error("a range has no value `" + text + "`");
  return number;
}

bool is_excluded(const StudySpec& spec, const Cell& cell) {
  return std::ranges::any_of(spec.excludes, [&](const auto& rule) {
    return std::ranges::all_of(rule, [&](const auto& entry) {
      const auto it = cell.find(entry.first);
      return it != cell.end() && std::ranges::find(entry.second, it->second) != entry.second.end();
    });
  });
}

bool matches(const Cell& cell, const Cell& pattern) {
  return std::ranges::all_of(pattern, [&](const auto& entry) {
    const auto it = cell.find(entry.first);
    return it != cell.end() && it->second == entry.second;
  });
}

std::vector<Cell> crossed(const StudySpec& spec, const Cell& fixed) {
  std::vector<Cell> cells{{}};
  for (const Factor& factor : spec.factors) {
    std::vector<std::string> levels;
    if (const auto it = fixed.find(factor.name); it != fixed.end())
      levels = {it->second};
    else if (factor.range && factor.baseline)
      levels = {*factor.baseline};
    else
      for (const Level& level : factor.levels) levels.push_back(level.name);
    std::vector<Cell> wider;
    for (const Cell& cell : cells)
      for (const std::string& level : levels) wider.push_back(merged(cell, {{factor.name, level}}));
    cells = std::move(wider);
  }
  std::erase_if(cells, [&](const Cell& cell) { return is_excluded(spec, cell); });
  return cells;
}

std::vector<Cell> cells_of(const StudySpec& spec, const Hypothesis& h) {
  if (!h.has_arms()) return crossed(spec, merged(h.treatment, h.where));
  std::vector<Cell> treated = crossed(spec, merged(h.treatment, h.where));
  std::vector<Cell> controls = crossed(spec, merged(h.control, h.where));
  for (std::vector<Cell>* arm : {&treated, &controls})
    if (!h.steps.empty())
      std::erase_if(*arm,
                    [&](const Cell& cell) { return std::ranges::find(h.steps, cell.at(h.along)) == h.steps.end(); });
  std::set<Cell> treated_settings, control_settings;
  const Cell arms = merged(h.treatment, h.control);
  for (const Cell& cell : treated) treated_settings.insert(setting(cell, arms));
  for (const Cell& cell : controls) control_settings.insert(setting(cell, arms));
  std::vector<Cell> cells;
  for (const Cell& cell : treated)
    if (control_settings.contains(setting(cell, arms))) cells.push_back(cell);
  for (const Cell& cell : controls)
    if (treated_settings.contains(setting(cell, arms))) cells.push_back(cell);
  if (h.steps.empty()) return cells;
  // A setting in which an arm lacks one of the levels cannot be tested.
  std::map<Cell, std::size_t> complete;
  const auto whole = [&](const Cell& cell) {
    Cell rest = setting(cell, arms);
    rest.erase(h.along);
    return rest;
  };
  for (const Cell& cell : cells) ++complete[whole(cell)];
  std::erase_if(cells, [&](const Cell& cell) { return complete[whole(cell)] != 2 * h.steps.size(); });
  return cells;
}

Cell reference_cell(const StudySpec& spec) {
  Cell cell;
  for (const Factor& factor : spec.factors)
    cell[factor.name] = factor.baseline ? *factor.baseline : factor.levels.front().name;
  if (!is_excluded(spec, cell)) return cell;
  const std::vector<Cell> allowed = crossed(spec, {});
  return allowed.empty() ? cell : allowed.front();
}

Cell stage_cell(const StudySpec& spec, const StageSpec& stage, const Cell& cell) {
  std::set<std::string> factors;
  add_factors(spec, stage, factors);
  Cell part;
  for (const auto& [factor, level] : cell)
    if (factors.contains(factor)) part[factor] = level;
  return part;
}

std::string range_text(const Factor& factor, double share) {
  const Range& range = *factor.range;
  double value = range.log ? std::exp(std::log(range.low) + share * (std::log(range.high) - std::log(range.low)))
                           : range.low + share * (range.high - range.low);
  if (factor.type == FactorType::integer) {
    value = std::round(value);
  } else {
    constexpr int significant = 4;
    const double scale = range.log ? std::abs(value) : range.high - range.low;
    const double step = std::pow(10, std::floor(std::log10(scale)) - (significant - 1));
    value = std::round(value / step) * step;
  }
  // The ends keep all their digits; 12 digits hide the rounding error of other values.
  if (value <= range.low) return fmt::format("{}", range.low);
  if (value >= range.high) return fmt::format("{}", range.high);
  return fmt::format("{:.12g}", value);
}

double range_share(const Factor& factor, double value) {
  const Range& range = *factor.range;
  if (range.log) return (std::log(value) - std::log(range.low)) / (std::log(range.high) - std::log(range.low));
  return (value - range.low) / (range.high - range.low);
}

void add_range_level(Factor& factor, const std::string& text) {
  if (factor.level(text)) return;
  const double number = number_of(text);
  const auto after =
      std::ranges::find_if(factor.levels, [&](const Level& level) { return level.value.number.value_or(0) > number; });
  factor.levels.insert(after, {text, {text, number}, {}});
}

void add_range_levels(StudySpec& spec, const Cell& cell) {
  for (Factor& factor : spec.factors)
    if (factor.range)
      if (const auto at = cell.find(factor.name); at != cell.end()) add_range_level(factor, at->second);
}

std::string words_of(const Cell& cell, std::string_view between) {
  std::string words;
  for (const auto& [factor, level] : cell) words += fmt::format("{}{}={}", words.empty() ? "" : between, factor, level);
  return words;
}

std::string cell_text(const Cell& cell) {
  std::string text;
  for (const auto& [factor, level] : cell) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", factor, level);
  return text.empty() ? "all cells" : text;
}

}  // namespace kernel

#include "kernel/runs/memory_forecast.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace kernel {

namespace {

/// The cell at `x` on a factor, and its peak.
struct Point {
  double x = 0;
  MemoryPeak peak;
};

/// The number of the cell's level. A level that only earlier studies had is read from its name.
std::optional<double> number_at(const StudySpec& spec, const std::string& factor, const Cell& cell) {
  const Factor* known = spec.factor(factor);
  const auto named = cell.find(factor);
  if (!known || named == cell.end()) return std::nullopt;
  const auto level = std::ranges::find(known->levels, named->second, &Level::name);
  if (level == known->levels.end()) {
    const std::string& text = named->second;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = known->type != FactorType::text && error == std::errc() && end == text.data() + text.size();
    return is_number && std::isfinite(number) ? std::optional(number) : std::nullopt;
  }
  return level->bundle.empty() ? level->value.number : std::nullopt;
}

/// The only factor in which the cells differ; none if they differ in others, too.
const std::string* difference(const Cell& a, const Cell& b) {
  if (a.size() != b.size()) return nullptr;
  const std::string* only = nullptr;
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
    if (x->first != y->first || (x->second != y->second && only)) return nullptr;
    if (x->second != y->second) only = &x->first;
  }
  return only;
}

std::int64_t with_margin(double bytes) {
  return std::llround(std::max(bytes, 0.0) * forecast_margin);
}

MemoryForecast of_the_cell(const MemoryPeak& peak) {
  return {with_margin(static_cast<double>(peak.bytes)), with_margin(static_cast<double>(peak.gpu_bytes)), 1};
}

/// The value at `x` of the line through the points; 0 if one of them is not known.
std::int64_t on_line(const std::vector<Point>& points, double x, std::int64_t MemoryPeak::*of) {
  const auto n = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (const Point& p : points) {
    if (p.peak.*of == 0) return 0;
    mean_x += p.x / n;
    mean_y += static_cast<double>(p.peak.*of) / n;
  }
  for (const Point& p : points) {
    xx += (p.x - mean_x) * (p.x - mean_x);
    xy += (p.x - mean_x) * (static_cast<double>(p.peak.*of) - mean_y);
  }
  return with_margin(mean_y + xy / xx * (x - mean_x));
}

}  // namespace

std::optional<MemoryForecast> memory_forecast(const Study& study, const Run& run) {
  constexpr std::size_t fewest = 3;
  if (study.order_of(run) || (study.peaks.empty() && study.earlier_peaks.empty())) return std::nullopt;
  if (const auto own = study.peaks.find({run.cell, run.stage}); own != study.peaks.end())
    return of_the_cell(own->second);
  const Cell& cell = study.cells.at(static_cast<std::size_t>(run.cell));
  std::map<std::string, std::vector<Point>> by_factor;
  const auto add = [&](const Cell& other, const MemoryPeak& peak) {
    const std::string* factor = difference(cell, other);
    const auto x = factor ? number_at(study.spec, *factor, other) : std::nullopt;
    if (x && number_at(study.spec, *factor, cell)) by_factor[*factor].push_back({*x, peak});
  };
  for (const EarlierPeak& earlier : study.earlier_peaks) {
    if (earlier.stage != run.stage) continue;
    const MemoryPeak peak{earlier.bytes, earlier.gpu_bytes};
    if (earlier.cell == cell) return of_the_cell(peak);
    const auto own = study.cell_numbers.find(earlier.cell);
    if (own == study.cell_numbers.end() || !study.peaks.contains({own->second, run.stage})) add(earlier.cell, peak);
  }
  for (const auto& [runs, peak] : study.peaks)
    if (runs.stage == run.stage) add(study.cells.at(static_cast<std::size_t>(runs.cell)), peak);
  const auto most = std::ranges::max_element(by_factor, {}, [](const auto& one) { return one.second.size(); });
  if (most == by_factor.end() || most->second.size() < fewest) return std::nullopt;
  const double x = *number_at(study.spec, most->first, cell);
  return MemoryForecast{on_line(most->second, x, &MemoryPeak::bytes), on_line(most->second, x, &MemoryPeak::gpu_bytes),
                        static_cast<int>(most->second.size())};
}

std::optional<ForecastErrors> forecast_errors(const std::deque<MemoryOutcome>& outcomes, bool on_device) {
  ForecastErrors errors;
  std::vector<double> sizes;
  for (const MemoryOutcome& outcome : outcomes) {
    if (outcome.on_device != on_device) continue;
    const auto forecast = static_cast<double>(outcome.forecast_bytes), peak = static_cast<double>(outcome.peak_bytes);
    sizes.push_back(std::abs(forecast - peak) / peak);
    if (outcome.peak_bytes > outcome.forecast_bytes) ++errors.exceeded;
    errors.newest = outcome;
  }
  if (sizes.empty()) return std::nullopt;
  errors.runs = static_cast<int>(sizes.size());
  const std::size_t middle = sizes.size() / 2;
  std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(middle));
  errors.median_error = sizes[middle];
  if (sizes.size() % 2 == 0)
    errors.median_error =
        (errors.median_error + *std::max_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(middle))) /
        2;
  return errors;
}

}  // namespace kernel

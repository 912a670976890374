#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/measure/metric_sources.h"

namespace kernel {

namespace {

/// Neumaier's compensated sum: the rounding error does not grow with the number of values.
double mean(std::span<const double> values) {
  double sum = 0, lost = 0;
  const double n = static_cast<double>(values.size());
  const auto add = [&](double value) {
    const double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  };
  for (const double value : values) add(value);
  if (std::isfinite(sum)) return (sum + lost) / n;
  sum = lost = 0;  // the sum exceeds a double, the mean does not
  for (const double value : values) add(value / n);
  return sum + lost;
}

/// Hyndman and Fan (1996), type 7.
double quantile_of_sorted(std::span<const double> sorted, double probability) {
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = place - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

/// The summary of finite values; `censored` if larger values of censored points could change it.
MetricValue summary_of(const Metric& metric, Series points) {
  std::vector<double> values;
  values.reserve(points.size());
  bool any_censored = false;
  double lowest_censored = std::numeric_limits<double>::infinity();
  for (const MetricPoint* p : points) {
    values.push_back(p->value);
    if (!p->censored) continue;
    any_censored = true;
    lowest_censored = std::min(lowest_censored, p->value);
  }
  // True values of censored points may be larger: a quantile is exact if all of those lie above the values it uses.
  const auto quantile_value = [&](double probability) {
    std::ranges::sort(values);
    const auto top = static_cast<std::size_t>(std::ceil(probability * static_cast<double>(values.size() - 1)));
    return MetricValue{quantile_of_sorted(values, probability), lowest_censored <= values[top], false};
  };
  switch (metric.summary.kind) {
    case SummaryKind::median:
      return quantile_value(0.5);
    case SummaryKind::p99:
      return quantile_value(0.99);
    case SummaryKind::max:
      return {*std::ranges::max_element(values), any_censored, false};
    case SummaryKind::min: {
      const double least = *std::ranges::min_element(values);
      const bool known =
          std::ranges::any_of(points, [&](const MetricPoint* p) { return !p->censored && p->value == least; });
      return {least, !known, false};
    }
    case SummaryKind::mean:
    case SummaryKind::mean_last:
      return {mean(values), any_censored, false};
    default:
      return {values.back(), points.back()->censored, false};
  }
}

Summarised first_reached(const Metric& metric, Series points, std::size_t offset, Goal goal) {
  const auto place = [&](std::size_t i) {
    return static_cast<double>(points[i]->step.value_or(static_cast<std::int64_t>(i + offset)));
  };
  const double target = metric.summary.target;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double value = points[i]->value;
    const bool reached = goal == Goal::minimize ? value <= target : value >= target;
    if (reached && std::isfinite(value)) return {MetricValue{place(i), false, false}};
  }
  return {MetricValue{place(points.size() - 1), true, false}};
}

}  // namespace

Summarised summarise(const Metric& metric, Series points, Goal target_goal) {
  const std::size_t warmup = std::min(points.size(), static_cast<std::size_t>(std::max(metric.warmup, 0)));
  points = points.subspan(warmup);
  if (points.empty()) return {};
  if (metric.summary.kind == SummaryKind::time_to) return first_reached(metric, points, warmup, target_goal);

  const auto broken = [](const MetricPoint* p) { return !std::isfinite(p->value); };
  const auto used = [&](Series all) {
    if (metric.summary.kind == SummaryKind::last) return all.last(1);
    if (metric.summary.kind != SummaryKind::mean_last) return all;
    return all.last(std::min(all.size(), static_cast<std::size_t>(std::max(metric.summary.last_k, 1))));
  };
  const Series taken = used(points);
  const auto bad = std::ranges::find_if(taken, broken);
  if (bad == taken.end()) return {summary_of(metric, taken)};

  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (metric.on_nan == OnNan::fail) return {{}, (*bad)->value};
  if (metric.on_nan == OnNan::worst) return {MetricValue{nan, false, true}};
  const Series before = points.first(static_cast<std::size_t>(std::ranges::find_if(points, broken) - points.begin()));
  if (before.empty()) return {{}, points.front()->value};
  MetricValue value = summary_of(metric, used(before));
  value.censored = true;
  return {value};
}

}  // namespace kernel

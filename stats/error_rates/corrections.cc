#include "stats/error_rates/corrections.h"

#include <algorithm>
#include <numeric>

namespace stats {

namespace {

/// The places of the values in their order; equal ones stay as they are.
std::vector<std::size_t> ascending(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t place) { return p[place]; });
  return order;
}

}  // namespace

std::vector<HolmStep> holm(std::span<const double> p, double alpha, int family) {
  const std::vector<std::size_t> order = ascending(p);
  std::vector<HolmStep> steps(p.size());
  const double batch = static_cast<double>(p.size());
  const double share = batch / std::max(static_cast<double>(family), batch);
  bool going = true;
  double level = 0, adjusted = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double left = batch - static_cast<double>(i);
    if (going) level = alpha * share / left;
    going = going && p[order[i]] <= level;
    adjusted = std::max(adjusted, std::min(1.0, p[order[i]] * left / share));
    steps[order[i]] = {going, level, adjusted};
  }
  return steps;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  const std::vector<std::size_t> order = ascending(p);
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    least = std::min(least, p[order[i]] * static_cast<double>(p.size()) / static_cast<double>(i + 1));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

std::vector<HolmStep> benjamini_hochberg_steps(std::span<const double> p, double alpha, int family) {
  const std::size_t slots = std::max(p.size(), static_cast<std::size_t>(std::max(family, 1)));
  std::vector<double> padded(p.begin(), p.end());
  padded.resize(slots, 1);
  const std::vector<double> adjusted = benjamini_hochberg(padded);
  std::vector<HolmStep> steps;
  double rejected = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    steps.push_back({adjusted[i] <= alpha, 0, adjusted[i]});
    rejected += steps.back().rejected ? 1 : 0;
  }
  for (HolmStep& step : steps)
    step.level =
        alpha * std::min(rejected + (step.rejected ? 0 : 1), static_cast<double>(slots)) / static_cast<double>(slots);
  return steps;
}

}  // namespace stats

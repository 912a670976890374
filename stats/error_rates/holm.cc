#include "stats/error_rates/holm.h"

#include <algorithm>
#include <numeric>

namespace stats {

std::vector<HolmStep> holm(std::span<const double> p, double alpha, int family) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });

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

}  // namespace stats

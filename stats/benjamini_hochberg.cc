#include "stats/benjamini_hochberg.h"

#include <algorithm>
#include <numeric>

namespace stats {

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    least = std::min(least, p[order[i]] * static_cast<double>(p.size()) / static_cast<double>(i + 1));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

}  // namespace stats

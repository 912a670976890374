#include "stats/surrogate/hypervolume.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stats {

namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

bool is_below(const TwoValues& point, const TwoValues& reference) {
  return point[0] < reference[0] && point[1] < reference[1];
}

std::vector<TwoValues> front_below(std::vector<TwoValues> points, const TwoValues& reference) {
  std::erase_if(points, [&](const TwoValues& p) { return !is_below(p, reference); });
  return front_of(std::move(points));
}

double log_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == none ? a : a + std::log1p(std::exp(b - a));
}

/// log(exp(a) − exp(b)); −∞ unless a > b.
double log_difference(double a, double b) {
  return a > b ? a + std::log1p(-std::exp(b - a)) : none;
}

}  // namespace

std::vector<TwoValues> front_of(std::vector<TwoValues> points) {
  std::ranges::sort(points);
  std::vector<TwoValues> front;
  for (const TwoValues& p : points)
    if (front.empty() || p[1] < front.back()[1]) front.push_back(p);
  return front;
}

double hypervolume(const std::vector<TwoValues>& points, const TwoValues& reference) {
  double area = 0, top = reference[1];
  for (const TwoValues& p : front_below(points, reference)) {
    area += (reference[0] - p[0]) * (top - p[1]);
    top = p[1];
  }
  return area;
}

std::vector<std::size_t> widest(const std::vector<TwoValues>& points, const std::vector<TwoValues>& held,
                                const TwoValues& reference, std::size_t count) {
  std::vector<std::size_t> chosen;
  std::vector<TwoValues> all = held;
  for (double covered = hypervolume(all, reference); chosen.size() < count;) {
    double most = covered;
    std::size_t best = points.size();
    for (std::size_t i = 0; i < points.size(); ++i) {
      all.push_back(points[i]);
      if (const double with = hypervolume(all, reference); with > most) {
        most = with;
        best = i;
      }
      all.pop_back();
    }
    if (best == points.size()) break;
    chosen.push_back(best);
    all.push_back(points[best]);
    covered = most;
  }
  return chosen;
}

double log_expected_hypervolume_improvement(const std::array<Predicted, 2>& expected,
                                            const std::vector<TwoValues>& points, const TwoValues& reference) {
  const std::vector<TwoValues> front = front_below(points, reference);
  double total = none, left = none, height = reference[1];
  for (std::size_t i = 0; i <= front.size(); ++i) {
    const double right = log_expected_improvement(expected[0], i < front.size() ? front[i][0] : reference[0]);
    total = log_sum(total, log_difference(right, left) + log_expected_improvement(expected[1], height));
    left = right;
    if (i < front.size()) height = front[i][1];
  }
  return total;
}

}  // namespace stats

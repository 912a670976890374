#include "kernel/measure/curves.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/assert.h"

namespace kernel {

namespace {

/// Sorts by x and keeps the last of several points at one x.
void put_in_order(Curve& curve) {
  std::vector<std::size_t> order(curve.x.size());
  std::iota(order.begin(), order.end(), 0);
  if (!std::is_sorted(curve.x.begin(), curve.x.end()))
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return curve.x[a] < curve.x[b]; });
  Curve sorted;
  for (const std::size_t i : order) {
    if (!sorted.x.empty() && sorted.x.back() == curve.x[i]) {
      sorted.y.back() = curve.y[i];
      continue;
    }
    sorted.x.push_back(curve.x[i]);
    sorted.y.push_back(curve.y[i]);
  }
  curve = std::move(sorted);
}

/// Steps from 0 or 1 to the last one become shares of the wall time; other numbers begin at their first one.
void put_in_time(Curve& curve, double wall_s) {
  if (curve.x.empty()) return;
  const double first = curve.x.front() > 0 && curve.x.front() <= curve.x.back() / 2 ? 0 : curve.x.front();
  const double length = curve.x.back() - first;
  for (double& x : curve.x) x = length > 0 ? (x - first) / length * wall_s : wall_s;
}

/// The values of x of all curves together, ascending; none if there are more than `most`.
std::optional<std::vector<double>> common_x(const std::vector<Curve>& curves, std::size_t most) {
  std::vector<double> all, joined;
  for (const Curve& curve : curves) {
    if (std::includes(all.begin(), all.end(), curve.x.begin(), curve.x.end())) continue;
    joined.clear();
    std::set_union(all.begin(), all.end(), curve.x.begin(), curve.x.end(), std::back_inserter(joined));
    all.swap(joined);
    if (all.size() > most) return std::nullopt;
  }
  return all;
}

/// Places on the axis at equal distances or ratios.
class Grid {
 public:
  Grid(const std::vector<Curve>& curves, std::size_t count, bool log) : count_(count), log_(log) {
    bool any = false;
    for (const Curve& curve : curves)
      for (const double x : curve.x) {
        if (log_ && x <= 0) continue;
        low_ = any ? std::min(low_, at(x)) : at(x);
        high_ = any ? std::max(high_, at(x)) : at(x);
        any = true;
      }
  }
  std::size_t place_of(double x) const {
    if ((log_ && x <= 0) || high_ <= low_) return 0;
    const double place = std::round((at(x) - low_) / (high_ - low_) * static_cast<double>(count_ - 1));
    return std::min(count_ - 1, static_cast<std::size_t>(std::max(0.0, place)));
  }
  double x_of(double place) const {
    const double share = place / static_cast<double>(count_ - 1);
    const double x = low_ + (high_ - low_) * share;
    return log_ ? std::exp(x) : x;
  }

 private:
  double at(double x) const { return log_ ? std::log(x) : x; }

  const std::size_t count_;
  const bool log_;
  double low_ = 0, high_ = 0;
};

/// The points of one curve around one pair of places.
struct Bucket {
  std::size_t first = 0, last = 0;  ///< Positions of the smallest and the greatest finite value.
  std::size_t finite = 0, points = 0, newest = 0;
  double sum = 0;

  void add(const Curve& curve, std::size_t i) {
    ++points;
    newest = i;
    const double y = curve.y[i];
    if (!std::isfinite(y)) return;
    if (finite == 0 || y < curve.y[first]) first = i;
    if (finite == 0 || y > curve.y[last]) last = i;
    ++finite;
    sum += y;
  }
};

}  // namespace

std::vector<std::string> curve_names(const std::vector<MetricPoint>& points) {
  std::unordered_map<std::string, int> counts;
  std::vector<std::string> names;
  for (const MetricPoint& point : points)
    if (point.item.empty() && ++counts[point.name] == 1) names.push_back(point.name);
  std::erase_if(names, [&](const std::string& name) { return counts.at(name) < 2; });
  return names;
}

Curve curve_of(const std::vector<MetricPoint>& points, const std::string& metric, CurveAxis axis, double wall_s) {
  Curve curve;
  for (const MetricPoint& point : points) {
    if (point.name != metric || !point.item.empty()) continue;
    curve.x.push_back(point.step ? static_cast<double>(*point.step) : static_cast<double>(curve.x.size()));
    curve.y.push_back(point.value);
  }
  put_in_order(curve);
  if (axis == CurveAxis::time) put_in_time(curve, wall_s);
  return curve;
}

CurveTable table_of(const std::vector<Curve>& curves, std::size_t most, CurveSpacing spacing) {
  ETUDE_ASSERT(most >= 4 && most % 2 == 0);
  CurveTable table;
  if (auto all = common_x(curves, most)) {
    table.x = std::move(*all);
    for (const Curve& curve : curves) {
      auto& column = table.y.emplace_back(table.x.size());
      std::size_t place = 0;
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        while (table.x[place] < curve.x[i]) ++place;
        column[place] = {curve.y[i], true};
      }
    }
    return table;
  }
  table.reduced = true;
  const Grid grid(curves, most, spacing == CurveSpacing::log);
  for (std::size_t place = 0; place < most; ++place) table.x.push_back(grid.x_of(static_cast<double>(place)));
  for (std::size_t pair = 0; pair < most / 2; ++pair)
    table.mean_x.push_back(grid.x_of(2 * static_cast<double>(pair) + 0.5));
  std::vector<Bucket> buckets;
  for (const Curve& curve : curves) {
    buckets.assign(most / 2, Bucket());
    for (std::size_t i = 0; i < curve.x.size(); ++i) buckets[grid.place_of(curve.x[i]) / 2].add(curve, i);
    auto& column = table.y.emplace_back(most);
    auto& means = table.mean.emplace_back(most / 2);
    for (std::size_t pair = 0; pair < buckets.size(); ++pair) {
      const Bucket& bucket = buckets[pair];
      if (bucket.points == 0) continue;
      if (bucket.finite == 0) {
        column[2 * pair] = means[pair] = {curve.y[bucket.newest], true};
        continue;
      }
      means[pair] = {bucket.sum / static_cast<double>(bucket.finite), true};
      const auto [before, after] = std::minmax(bucket.first, bucket.last);
      if (before == after)
        column[grid.place_of(curve.x[before])] = {curve.y[before], true};
      else {
        column[2 * pair] = {curve.y[before], true};
        column[2 * pair + 1] = {curve.y[after], true};
      }
    }
  }
  return table;
}

}  // namespace kernel

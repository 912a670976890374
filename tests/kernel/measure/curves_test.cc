#include "kernel/measure/curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <catch2/catch.hpp>

namespace {

using namespace kernel;

MetricPoint at(std::optional<std::int64_t> step, double value, const char* name = "loss", const char* item = "") {
  MetricPoint point;
  point.name = name;
  point.value = value;
  point.step = step;
  point.item = item;
  return point;
}

/// A curve of so many steps from `first`, with the values of a function.
template <typename Value>
Curve curve(std::int64_t count, Value value, std::int64_t first = 0) {
  Curve made;
  for (std::int64_t i = first; i < first + count; ++i) {
    made.x.push_back(static_cast<double>(i));
    made.y.push_back(value(static_cast<double>(i)));
  }
  return made;
}

std::vector<double> there(const std::vector<CurveTable::Cell>& column) {
  std::vector<double> values;
  for (const CurveTable::Cell& cell : column)
    if (cell.there) values.push_back(cell.value);
  return values;
}

}  // namespace

TEST_CASE("a curve is in the order of its steps, and the last of several values at one step counts") {
  const std::vector<MetricPoint> points = {at(1, 5), at(3, 3), at(2, 4), at(3, 2), at(1, 9, "other")};
  const Curve found = curve_of(points, "loss", CurveAxis::step, 60);
  CHECK(found.x == std::vector<double>{1, 2, 3});
  CHECK(found.y == std::vector<double>{5, 4, 2});
  CHECK(curve_names(points) == std::vector<std::string>{"loss"});
}

TEST_CASE("points without a step stand at their position, and values of items are no curve") {
  const std::vector<MetricPoint> points = {at({}, 2), at({}, 1, "right", "q1"), at({}, 0, "right", "q2"), at({}, 1)};
  CHECK(curve_of(points, "loss", CurveAxis::step, 1).x == std::vector<double>{0, 1});
  CHECK(curve_of(points, "right", CurveAxis::step, 1).x.empty());
  CHECK(curve_names(points) == std::vector<std::string>{"loss"});
}

TEST_CASE("the wall time of a run is divided in proportion to its steps") {
  CHECK(curve_of({at(0, 1), at(5, 1), at(20, 1)}, "loss", CurveAxis::time, 60).x == std::vector<double>{0, 15, 60});
  CHECK(curve_of({at(1, 1), at(4, 1)}, "loss", CurveAxis::time, 60).x == std::vector<double>{15, 60});
  // Continued from a checkpoint: the steps before it are not of this run.
  CHECK(curve_of({at(1000, 1), at(1100, 1)}, "loss", CurveAxis::time, 60).x == std::vector<double>{0, 60});
}

TEST_CASE("curves with few steps keep every point, and have none where they reported none") {
  const auto table = table_of({{{0, 2, 4}, {1, 2, 3}}, {{2, 3}, {7, std::nan("")}}}, 4, CurveSpacing::linear);
  CHECK_FALSE(table.reduced);
  CHECK(table.x == std::vector<double>{0, 2, 3, 4});
  CHECK(there(table.y[0]) == std::vector<double>{1, 2, 3});
  CHECK_FALSE(table.y[0][2].there);
  CHECK(table.y[1][1].value == 7);
  CHECK(table.y[1][2].there);
  CHECK(std::isnan(table.y[1][2].value));
  CHECK(table.mean.empty());
}

TEST_CASE("a reduced curve keeps its peaks, their order and the mean around each place") {
  Curve long_one = curve(1000, [](double x) { return x; });
  long_one.y[501] = -1000;
  long_one.y[777] = std::numeric_limits<double>::infinity();
  const auto table = table_of({long_one, curve(
                                             3, [](double x) { return x - 993; }, 998)},
                              100, CurveSpacing::linear);
  CHECK(table.reduced);
  REQUIRE(table.x.size() == 100);
  REQUIRE(table.mean_x.size() == 50);
  CHECK(table.x.front() == 0);
  CHECK(table.x.back() == 1000);
  const auto values = there(table.y[0]);
  CHECK(values.size() == 100);
  CHECK(*std::min_element(values.begin(), values.end()) == -1000);
  CHECK(values.back() == 999);
  for (const double value : values) CHECK(std::isfinite(value));
  // Every value is within 1.5 distances of its step.
  for (std::size_t i = 0; i < 100; ++i)
    if (table.y[0][i].value >= 0) CHECK(std::abs(table.y[0][i].value - table.x[i]) <= 1.5 * 1000 / 99 + 1e-9);
  double sum = 0;
  for (const CurveTable::Cell& cell : table.mean[0]) sum += cell.value;
  CHECK(sum / 50 == Approx(498).margin(5));
  CHECK(there(table.y[1]) == std::vector<double>{5, 7});
  CHECK(there(table.mean[1]) == std::vector<double>{6});
}

TEST_CASE("at equal ratios the first steps are not lost in one place") {
  const auto curves = std::vector{curve(
      100000, [](double x) { return x; }, 1)};
  const auto near_one = [&](CurveSpacing spacing) {
    const auto table = table_of(curves, 200, spacing);
    return std::count_if(table.x.begin(), table.x.end(), [](double x) { return x < 100; });
  };
  CHECK(near_one(CurveSpacing::linear) == 1);
  CHECK(near_one(CurveSpacing::log) > 70);
  const auto table = table_of({curve(5000, [](double x) { return x; })}, 200, CurveSpacing::log);
  CHECK(table.x.front() == Approx(1));
  CHECK(there(table.y[0]).front() == 0);
}

TEST_CASE("a curve of nothing but values that are not finite stays one") {
  const auto table = table_of({curve(1000, [](double) { return std::nan(""); })}, 10, CurveSpacing::linear);
  CHECK(there(table.y[0]).size() == 5);
  CHECK(std::isnan(there(table.y[0]).front()));
  CHECK(std::isnan(table.mean[0][0].value));
  CHECK(table_of({}, 10, CurveSpacing::linear).x.empty());
}

// Estimates of slopes: along numbers, over crossed settings, and what has none.

#include <cmath>

#include <catch2/catch.hpp>

#include "kernel/inference/estimate.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/inference/synthetic.h"

using kernel::Direction;
using kernel::estimate;
using kernel::Estimate;
using synthetic::absolute;
using synthetic::factor;
using synthetic::Runs;
using synthetic::slope;

TEST_CASE("a log-log slope of cells that grow with the square is near 2") {
  auto spec = synthetic::study(4, {factor("n", {"100", "200", "400"})});
  spec.design.pairing = kernel::Pairing::none;
  auto h = slope(Direction::equal, 2, absolute(0.25));
  h.slope_scale = kernel::SlopeScale::loglog;
  h.where = {{"arm", "t"}};
  Runs runs;
  stats::Xoshiro random(5);
  for (const double n : {100, 200, 400}) {
    std::vector<double> values;
    for (int i = 0; i < 4; ++i) values.push_back(3e-4 * n * n * std::exp(0.05 * random.normal()));
    runs.add_all({{"arm", "t"}, {"n", std::to_string(static_cast<int>(n))}}, values);
    runs.add_all({{"arm", "c"}, {"n", std::to_string(static_cast<int>(n))}}, {1, 2, 3, 4});
  }
  const Estimate e = estimate(spec, h, runs.values());
  CHECK(e.obstacle.empty());
  REQUIRE(e.tests.size() == 1);
  CHECK(std::abs(*e.effect - 2) < 0.1);
  CHECK(*e.tests[0].df == 10);
  CHECK(e.n == std::array<int, 2>{12, 0});
  CHECK(e.p.outside < 0.001);
  const auto i = e.tests[0].interval(0.9);
  CHECK(*i.low < *e.effect);
  CHECK(*i.high > *e.effect);
  CHECK(*e.tests[0].effect_relative == Approx(*e.effect / 2 - 1));
}

TEST_CASE("a slope of independent runs is the mean over the crossed settings, each with a line of its own") {
  auto spec = synthetic::study(2, {factor("n", {"1", "2"})});
  spec.design.pairing = kernel::Pairing::none;
  auto h = slope(Direction::greater, 0);
  Runs runs;
  runs.add_all({{"arm", "t"}, {"n", "1"}}, {1.1, 0.9});
  runs.add_all({{"arm", "t"}, {"n", "2"}}, {2.1, 1.9});
  runs.add_all({{"arm", "c"}, {"n", "1"}}, {10.1, 9.9});
  runs.add_all({{"arm", "c"}, {"n", "2"}}, {13.1, 12.9});
  const Estimate e = estimate(spec, h, runs.values());
  CHECK(*e.effect == Approx(2));
  CHECK(*e.tests[0].df == 4);
  REQUIRE(e.settings.size() == 2);
  CHECK(*e.settings[0].effect == Approx(1));
  CHECK(*e.settings[1].effect == Approx(3));
  // residual variance 8·0.01/4 = 0.02; each Sxx = 1; se = √(0.02·2)/2
  CHECK(*e.tests[0].standard_error == Approx(0.1));
}

TEST_CASE("with pairing by seed, each seed has a slope of its own and seeds are the units, also on one line") {
  auto spec = synthetic::study(3, {factor("n", {"1", "2", "4"})});
  auto h = slope(Direction::greater, 0);
  h.where = {{"arm", "t"}};
  Runs runs;
  const std::vector<double> slopes = {1, 2, 6}, intercepts = {5, -3, 40};
  for (const double n : {1, 2, 4}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < 3; ++i) values.push_back(intercepts[i] + slopes[i] * n);
    runs.add_all({{"arm", "t"}, {"n", std::to_string(static_cast<int>(n))}}, values);
  }
  const Estimate e = estimate(spec, h, runs.values());
  CHECK(e.obstacle.empty());
  CHECK(*e.effect == Approx(3));
  CHECK(*e.tests[0].df == 2);
  CHECK(*e.tests[0].standard_error == Approx(std::sqrt(7.0 / 3)));
  // The t distribution with two degrees of freedom has the closed form 1/2 - t / (2 √(2 + t²)).
  CHECK(e.p.outside == Approx(0.09424866439965546).epsilon(1e-12));
  CHECK(e.units == 3);
  // Programs before this rule took every run as a unit.
  spec.design.rule = kernel::VerdictRule::smallest_effect;
  CHECK(*estimate(spec, h, runs.values()).tests[0].df == 7);
}

TEST_CASE("a lin-log slope is against the factor's logarithm") {
  auto spec = synthetic::study(2, {factor("n", {"1", "10", "100"})});
  auto h = slope(Direction::greater, 0);
  h.slope_scale = kernel::SlopeScale::linlog;
  h.where = {{"arm", "t"}};
  Runs runs;
  runs.add_all({{"arm", "t"}, {"n", "1"}}, {-5, 1});
  runs.add_all({{"arm", "t"}, {"n", "10"}}, {-5 + 2 * std::log(10), 1 + 3 * std::log(10)});
  runs.add_all({{"arm", "t"}, {"n", "100"}}, {-5 + 4 * std::log(10), 1 + 6 * std::log(10)});
  CHECK(*estimate(spec, h, runs.values()).effect == Approx(2.5));
}

TEST_CASE("over crossed settings that share their seeds, a slope has the seeds as units") {
  auto spec = synthetic::study(3, {factor("n", {"1", "2", "4"})});
  auto h = slope(Direction::greater, 0);
  Runs runs;
  // Slopes by seed, t: 1, 2, 3 and c: 3, 4, 8.
  const std::vector<double> t = {1, 2, 3}, c = {3, 4, 8};
  for (const double n : {1, 2, 4}) {
    std::vector<double> on_t, on_c;
    for (std::size_t i = 0; i < 3; ++i) {
      on_t.push_back(5 + t[i] * n);
      on_c.push_back(c[i] * n);
    }
    const std::string level = std::to_string(static_cast<int>(n));
    runs.add_all({{"arm", "t"}, {"n", level}}, on_t);
    runs.add_all({{"arm", "c"}, {"n", level}}, on_c);
  }
  const Estimate e = estimate(spec, h, runs.values());
  // Of (2, 3, 5.5): mean 3.5, variance 3.25.
  CHECK(e.obstacle.empty());
  CHECK(*e.effect == Approx(3.5));
  CHECK(*e.tests[0].df == 2);
  CHECK(*e.tests[0].standard_error == Approx(std::sqrt(3.25 / 3)));
  CHECK(e.units == 3);
}

TEST_CASE("a slope along levels without numbers, or of runs that never vary, is refused") {
  auto spec = synthetic::study(3, {factor("n", {"small", "big"})});
  auto h = slope(Direction::greater, 0);
  h.where = {{"arm", "t"}};
  Runs words;
  words.add_all({{"arm", "t"}, {"n", "small"}}, {1, 2, 3});
  words.add_all({{"arm", "t"}, {"n", "big"}}, {4, 2, 3});
  CHECK(newest_words(estimate(spec, h, words.values()).obstacle).find("no number") != std::string::npos);
  spec = synthetic::study(3, {factor("n", {"1", "2", "4"})});
  Runs constant;
  constant.add_all({{"arm", "t"}, {"n", "1"}}, {1, 1, 1});
  constant.add_all({{"arm", "t"}, {"n", "2"}}, {2, 2, 2});
  constant.add_all({{"arm", "t"}, {"n", "4"}}, {5, 5, 5});
  CHECK(newest_words(estimate(spec, h, constant.values()).obstacle).find("never varied") != std::string::npos);
  spec.metrics[0].deterministic = true;
  const Estimate exact = estimate(spec, h, constant.values());
  CHECK(exact.obstacle.empty());
  CHECK(exact.p.outside == 0);
}

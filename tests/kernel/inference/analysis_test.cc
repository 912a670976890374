// Estimates of one comparison: matching, units, methods, obstacles.

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "kernel/inference/estimate.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/inference/synthetic.h"

using kernel::Direction;
using kernel::estimate;
using kernel::Estimate;
using synthetic::absolute;
using synthetic::compare;
using synthetic::factor;
using synthetic::relative;
using synthetic::Runs;

namespace {
const double not_a_number = std::numeric_limits<double>::quiet_NaN();
}

TEST_CASE("the evidence is the runs that match an arm and `where`; level names compare as text") {
  auto spec = synthetic::study(3, {factor("lr", {"0.1", "1e-1"}), factor("data", {"a", "b"})});
  auto h = compare(Direction::less);
  h.where = {{"lr", "1e-1"}, {"data", "a"}};
  Runs runs;
  runs.add_all({{"arm", "t"}, {"lr", "1e-1"}, {"data", "a"}}, {1, 2, 4});
  runs.add_all({{"arm", "c"}, {"lr", "1e-1"}, {"data", "a"}}, {3, 5, 4});
  runs.add_all({{"arm", "t"}, {"lr", "0.1"}, {"data", "a"}}, {100, 200, 300});  // equal as numbers, another level
  runs.add_all({{"arm", "c"}, {"lr", "1e-1"}, {"data", "b"}}, {100, 200, 300});
  runs.add({{"arm", "t"}, {"lr", "0.1"}, {"data", "b"}}, 1, std::nullopt, true);
  const Estimate e = estimate(spec, h, runs.values());
  REQUIRE(e.tests.size() == 1);
  CHECK(e.obstacle.empty());
  CHECK(e.n == std::array<int, 2>{3, 3});
  CHECK(e.failed == std::array<int, 2>{0, 0});
  CHECK(e.units == 3);
  // Differences −2 −3 0: mean −5/3, sd 1.5275, se 0.88192, t = −1.8898 on 2 df.
  CHECK(e.effect == Approx(-5.0 / 3));
  CHECK(*e.tests[0].standard_error == Approx(0.8819171));
  CHECK(*e.tests[0].df == 2);
  CHECK(e.p.outside == Approx(0.0996796).epsilon(1e-5));
  CHECK(*e.tests[0].effect_relative == Approx((7.0 / 3) / 4 - 1));
  const auto i = e.tests[0].interval(0.9);
  CHECK(*i.low == Approx(-5.0 / 3 - 2.919986 * 0.8819171).epsilon(1e-6));
  CHECK(*i.high == Approx(-5.0 / 3 + 2.919986 * 0.8819171).epsilon(1e-6));
}

TEST_CASE("crossed cells are averaged within a seed, and the seed stays the unit") {
  auto spec = synthetic::study(3, {factor("data", {"a", "b"})});
  Runs runs;
  runs.add_all({{"arm", "t"}, {"data", "a"}}, {1, 2, 3});
  runs.add_all({{"arm", "t"}, {"data", "b"}}, {11, 12, 17});
  runs.add_all({{"arm", "c"}, {"data", "a"}}, {2, 2, 3});
  runs.add_all({{"arm", "c"}, {"data", "b"}}, {12, 14, 15});
  const Estimate e = estimate(spec, compare(Direction::less), runs.values());
  REQUIRE(e.tests.size() == 1);
  CHECK(e.units == 3);
  CHECK(e.n == std::array<int, 2>{6, 6});
  CHECK(*e.tests[0].df == 2);
  CHECK(e.effect == Approx((-1.0 + -1.0 + 1.0) / 3));  // seeds: 6−7, 7−8, 10−9
  REQUIRE(e.settings.size() == 2);
  CHECK(e.settings[0].levels == kernel::Cell{{"data", "a"}});
  CHECK(*e.settings[0].effect == Approx(2 - 7.0 / 3));
  CHECK(*e.settings[1].effect == Approx(40.0 / 3 - 41.0 / 3));
  CHECK(*e.settings[1].treatment.sd == Approx(3.2145503));
  CHECK(*e.settings[1].treatment.median == 12);
}

TEST_CASE("unpaired, every cell has its own variance and df are Satterthwaite's") {
  auto spec = synthetic::study(3);
  spec.design.pairing = kernel::Pairing::none;
  Runs runs;
  runs.add_all({{"arm", "t"}}, {1, 2, 4});
  runs.add_all({{"arm", "c"}}, {3, 5, 4});
  const Estimate e = estimate(spec, compare(Direction::less), runs.values());
  REQUIRE(e.tests.size() == 1);
  // scipy.stats.ttest_ind([1, 2, 4], [3, 5, 4], equal_var=False, alternative="less")
  CHECK(e.p.outside == Approx(0.1000865).epsilon(1e-5));
  CHECK(*e.tests[0].df == Approx(3.4482758).epsilon(1e-6));
}

TEST_CASE("a setting that a constraint denies to one arm is left out of both") {
  auto spec = synthetic::study(3, {factor("n", {"10", "1000"})});
  spec.excludes = {{{"arm", {"c"}}, {"n", {"1000"}}}};
  Runs runs;
  runs.add_all({{"arm", "t"}, {"n", "10"}}, {1, 2, 4});
  runs.add_all({{"arm", "c"}, {"n", "10"}}, {3, 5, 4});
  runs.add_all({{"arm", "t"}, {"n", "1000"}}, {1000, 2000, 4000});
  const Estimate e = estimate(spec, compare(Direction::less), runs.values());
  CHECK(e.obstacle.empty());
  CHECK(e.effect == Approx(-5.0 / 3));
  CHECK(e.n == std::array<int, 2>{3, 3});
}

TEST_CASE("a second value for a cell and seed is not a replicate") {
  auto spec = synthetic::study(3);
  spec.design.pairing = kernel::Pairing::none;
  Runs runs;
  runs.add_all({{"arm", "t"}}, {1, 2, 4});
  runs.add_all({{"arm", "t"}}, {9, 9, 9});
  runs.add_all({{"arm", "c"}}, {3, 5, 4});
  CHECK(estimate(spec, compare(Direction::less), runs.values()).n == std::array<int, 2>{3, 3});
}

TEST_CASE("more failed runs than an arm may have are an obstacle, and the survivors are still estimated") {
  auto spec = synthetic::study(4);
  Runs runs;
  runs.add_all({{"arm", "t"}}, {1, 2, 4});
  runs.add({{"arm", "t"}}, 4, std::nullopt, true);
  runs.add_all({{"arm", "c"}}, {3, 5, 4, 6});
  const Estimate e = estimate(spec, compare(Direction::less), runs.values());
  CHECK(newest_words(e.obstacle).find("1 of 4 treatment runs failed") != std::string::npos);
  CHECK(newest_words(e.obstacle).find("max_failed") != std::string::npos);
  CHECK(e.failed == std::array<int, 2>{1, 0});
  CHECK(e.n == std::array<int, 2>{3, 4});
  REQUIRE(e.tests.size() == 1);
  CHECK(e.units == 3);
  CHECK(e.effect == Approx(-5.0 / 3));
}

TEST_CASE("a shared control with more seeds than the treatment gives no pair and no warning; a torn seed warns") {
  auto spec = synthetic::study(3, {factor("data", {"a", "b"})});
  Runs runs;
  for (const char* data : {"a", "b"}) {
    runs.add_all({{"arm", "t"}, {"data", data}}, {1, 2, 4});
    runs.add_all({{"arm", "c"}, {"data", data}}, {3, 5, 4, 7, 8});
  }
  const Estimate shared = estimate(spec, compare(Direction::less), runs.values());
  CHECK(shared.units == 3);
  CHECK(shared.n == std::array<int, 2>{6, 10});
  CHECK(shared.effect == Approx(-5.0 / 3));
  CHECK(shared.warnings.empty());
  runs.add({{"arm", "t"}, {"data", "a"}}, 4, 2.0);
  const Estimate torn = estimate(spec, compare(Direction::less), runs.values());
  CHECK(torn.units == 3);
  REQUIRE(torn.warnings.size() == 1);
  CHECK(newest_words(torn.warnings[0]).find("1 seed lacks a value in some cell of an arm and is left out") !=
        std::string::npos);
}

TEST_CASE("with no complete seed the plain difference of the survivors is still shown") {
  auto spec = synthetic::study(2);
  Runs runs;
  runs.add({{"arm", "t"}}, 1, 5.0);
  runs.add({{"arm", "t"}}, 2, std::nullopt, true);
  runs.add({{"arm", "c"}}, 1, std::nullopt, true);
  runs.add({{"arm", "c"}}, 2, 7.0);
  const Estimate e = estimate(spec, compare(Direction::less), runs.values());
  CHECK(e.tests.empty());
  CHECK(e.effect == Approx(-2));
  CHECK(newest_words(e.obstacle).find("failed") != std::string::npos);
}

TEST_CASE("a value that is no finite number is an obstacle, not a missing run") {
  for (const std::optional<double> value :
       {std::optional(not_a_number), std::optional(std::numeric_limits<double>::infinity()), std::optional<double>()}) {
    auto spec = synthetic::study(4);
    Runs runs;
    runs.add_all({{"arm", "t"}}, {1, 2, 4});
    runs.add({{"arm", "t"}}, 4, value);
    runs.add_all({{"arm", "c"}}, {3, 5, 4, 6});
    const Estimate e = estimate(spec, compare(Direction::less), runs.values());
    CHECK(newest_words(e.obstacle).find("no finite value of y") != std::string::npos);
    CHECK(e.unusable == std::array<int, 2>{1, 0});
  }
}

TEST_CASE("no runs at all is an obstacle") {
  const Estimate e = estimate(synthetic::study(3), compare(Direction::less), {});
  CHECK_FALSE(e.obstacle.empty());
  CHECK_FALSE(e.effect);
  CHECK(e.tests.empty());
}

TEST_CASE("an undeclared metric that never varies is an obstacle with a hint, whatever the pairing") {
  for (const kernel::Pairing pairing : {kernel::Pairing::seed, kernel::Pairing::none}) {
    auto spec = synthetic::study(3);
    spec.design.pairing = pairing;
    Runs runs;
    runs.add_all({{"arm", "t"}}, {0.1, 0.1, 0.1});
    runs.add_all({{"arm", "c"}}, {0.3, 0.3, 0.3});
    const Estimate e = estimate(spec, compare(Direction::less), runs.values());
    CHECK(newest_words(e.obstacle).find("deterministic: true") != std::string::npos);
    CHECK(e.effect == Approx(-0.2));
    REQUIRE(e.tests.size() == 1);
    CHECK_FALSE(e.tests[0].interval(0.9).low);
    CHECK_FALSE(e.tests[0].standard_error);
    CHECK(e.p.outside == 1);
  }
}

TEST_CASE("a difference that is the same on every seed has no error to judge it by") {
  auto spec = synthetic::study(3);
  Runs runs;
  runs.add_all({{"arm", "t"}}, {1.1, 2.1, 4.1});
  runs.add_all({{"arm", "c"}}, {1.3, 2.3, 4.3});
  const Estimate e = estimate(spec, compare(Direction::less), runs.values());
  CHECK(newest_words(e.obstacle).find("exactly the same on every seed") != std::string::npos);
  CHECK(e.p.outside == 1);
}

TEST_CASE("a deterministic metric is compared exactly, and rounding at the boundary is equality") {
  auto spec = synthetic::study(3);
  spec.metrics[0].deterministic = true;
  const auto outcome = [&](double t, double c, kernel::Hypothesis h) {
    Runs runs;
    runs.add_all({{"arm", "t"}}, {t, t, t});
    runs.add_all({{"arm", "c"}}, {c, c, c});
    const Estimate e = estimate(spec, h, runs.values());
    CHECK(e.obstacle.empty());
    REQUIRE(e.tests.size() == 1);
    CHECK(e.tests[0].method == &kernel::exact_method);
    CHECK(*e.tests[0].interval(0.9).low == e.tests[0].effect);
    CHECK(e.p.outside + e.p.inside == 1);
    return e.p.outside == 0;
  };
  CHECK(outcome(1, 2, compare(Direction::less)));
  CHECK_FALSE(outcome(2, 2, compare(Direction::less)));
  CHECK_FALSE(outcome(0.07, 0.1, compare(Direction::less, relative(0.3))));  // exactly 30 % less is not more than 30 %
  CHECK(outcome(0.069, 0.1, compare(Direction::less, relative(0.3))));
  CHECK_FALSE(outcome(0.3, 0.1, compare(Direction::greater, absolute(0.2))));
  CHECK(outcome(0.31, 0.1, compare(Direction::greater, absolute(0.2))));
  CHECK(outcome(0.1 + 0.2, 0.3, compare(Direction::equal, absolute(0.01))));
  CHECK_FALSE(outcome(0.1 + 0.2, 0.3, compare(Direction::different)));
  CHECK(outcome(2, 3, compare(Direction::different)));
  CHECK(outcome(2, 2, compare(Direction::not_worse, relative(0.1))));
  CHECK_FALSE(outcome(2.3, 2, compare(Direction::not_worse, relative(0.1))));
}

TEST_CASE("a deterministic metric that varies cannot be compared exactly") {
  auto spec = synthetic::study(3);
  spec.metrics[0].deterministic = true;
  Runs runs;
  runs.add_all({{"arm", "t"}}, {1, 1, 1.0000001});
  runs.add_all({{"arm", "c"}}, {2, 2, 2});
  const Estimate e = estimate(spec, compare(Direction::less), runs.values());
  CHECK(newest_words(e.obstacle).find("varied between runs") != std::string::npos);
  CHECK(e.tests.empty());
}

TEST_CASE("a failed run stands against a deterministic verdict too") {
  auto spec = synthetic::study(3);
  spec.metrics[0].deterministic = true;
  Runs runs;
  runs.add_all({{"arm", "t"}}, {1, 1});
  runs.add({{"arm", "t"}}, 3, std::nullopt, true);
  runs.add_all({{"arm", "c"}}, {2, 2, 2});
  CHECK(newest_words(estimate(spec, compare(Direction::less), runs.values()).obstacle).find("failed") !=
        std::string::npos);
}

TEST_CASE("on a log scale the relative effect is a ratio of geometric means with an exact interval") {
  auto spec = synthetic::study(4);
  spec.metrics[0].scale = kernel::Scale::log;
  Runs runs;
  const std::vector<double> t{1, 2, 4, 3}, c{4, 7, 20, 10};
  runs.add_all({{"arm", "t"}}, t);
  runs.add_all({{"arm", "c"}}, c);
  const Estimate e = estimate(spec, compare(Direction::less, relative(0.5)), runs.values());
  REQUIRE(e.tests.size() == 1);
  const kernel::Test& test = e.tests[0];
  double log_ratio = 0, log_control = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    log_ratio += std::log(t[i] / c[i]) / 4;
    log_control += std::log(c[i]) / 4;
  }
  CHECK(*test.effect_relative == Approx(std::exp(log_ratio) - 1));
  CHECK(test.effect == Approx(std::exp(log_control) * (std::exp(log_ratio) - 1)));
  const auto own = test.interval(0.9), ratio = test.relative_interval(0.9);
  CHECK(*own.low < test.effect);
  CHECK(*own.high > test.effect);
  CHECK(*own.low == Approx(*ratio.low * std::exp(log_control)));
  // Supported at 5 % exactly when the ratio's 90 % interval lies below one half.
  CHECK((e.p.outside <= 0.05) == (*ratio.high < -0.5));
  CHECK(e.p.outside < 0.05);
}

TEST_CASE("what a logarithm cannot take is said") {
  auto spec = synthetic::study(3);
  spec.metrics[0].scale = kernel::Scale::log;
  Runs runs;
  runs.add_all({{"arm", "t"}}, {1, 0, 4});
  runs.add_all({{"arm", "c"}}, {3, 5, 4});
  const Estimate e = estimate(spec, compare(Direction::less), runs.values());
  CHECK(newest_words(e.obstacle).find("0 or less") != std::string::npos);
  CHECK(e.effect == Approx(-7.0 / 3));
  Runs good;
  good.add_all({{"arm", "t"}}, {1, 2, 4});
  good.add_all({{"arm", "c"}}, {3, 5, 4});
  CHECK(newest_words(estimate(spec, compare(Direction::less, absolute(1)), good.values()).obstacle)
            .find("absolute margin") != std::string::npos);
  CHECK_FALSE(estimate(spec, compare(Direction::less, relative(1)), good.values()).obstacle.empty());
}

TEST_CASE("over every setting the weakest one speaks for all") {
  auto spec = synthetic::study(5, {factor("data", {"a", "b"})});
  auto h = compare(Direction::less);
  h.over = kernel::Over::every;
  Runs runs;
  runs.add_all({{"arm", "t"}, {"data", "a"}}, {1, 2, 3, 2, 1.5});
  runs.add_all({{"arm", "c"}, {"data", "a"}}, {11, 12.5, 13, 12, 11});
  runs.add_all({{"arm", "t"}, {"data", "b"}}, {5, 6, 7, 6, 5});
  runs.add_all({{"arm", "c"}, {"data", "b"}}, {5, 7, 6, 6.5, 4});
  const Estimate e = estimate(spec, h, runs.values());
  REQUIRE(e.tests.size() == 2);
  CHECK(e.tests[0].p.outside < 0.001);
  CHECK(e.weakest == 1);
  CHECK(e.tests[1].setting == kernel::Cell{{"data", "b"}});
  CHECK(e.p.outside == e.tests[1].p.outside);
  CHECK(*e.effect == Approx(0.1));
}

TEST_CASE("skewed differences and unequal variances are warned of") {
  auto spec = synthetic::study(8);
  Runs runs;
  runs.add_all({{"arm", "t"}}, {1, 1.1, 0.9, 1, 1.05, 0.95, 1, 30});
  runs.add_all({{"arm", "c"}}, {1, 1, 1.1, 0.9, 1, 1, 1.02, 1});
  const Estimate paired = estimate(spec, compare(Direction::greater), runs.values());
  REQUIRE(paired.warnings.size() == 1);
  CHECK(newest_words(paired.warnings[0]).find("skewed") != std::string::npos);
  spec.design.pairing = kernel::Pairing::none;
  bool ratio = false;
  for (const std::string& w : kernel::newest_words(estimate(spec, compare(Direction::greater), runs.values()).warnings))
    ratio = ratio || w.find("4 times") != std::string::npos;
  CHECK(ratio);
}

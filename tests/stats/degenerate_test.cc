// What has no answer says so: never NaN, never an invented number.

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "stats/basics/contrast.h"
#include "stats/basics/descriptive.h"
#include "stats/basics/distributions.h"
#include "stats/basics/random.h"
#include "stats/designs/least_squares.h"
#include "stats/effects/bootstrap.h"
#include "stats/effects/fieller.h"
#include "stats/effects/regression.h"
#include "stats/error_rates/t_test_power.h"
#include "stats/ranks/ranks.h"
#include "tests/aborts.h"

using Values = std::vector<double>;

namespace {
const double inf = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double huge = std::numeric_limits<double>::max();

std::optional<stats::Contrast> welch(const Values& treatment, const Values& control) {
  return stats::independent_contrast(std::vector{*stats::moments(treatment)}, std::vector{*stats::moments(control)});
}
}  // namespace

TEST_CASE("a sample that is too small, infinite or not a number has no summary") {
  CHECK_FALSE(stats::mean(Values{}));
  CHECK_FALSE(stats::mean(Values{1, not_a_number}));
  CHECK_FALSE(stats::mean(Values{1, inf}));
  CHECK_FALSE(stats::mean(Values{huge, huge, huge}));
  CHECK_FALSE(stats::moments(Values{1}));
  CHECK_FALSE(stats::moments(Values{huge / 2, -huge / 2}));
  CHECK_FALSE(stats::quantile(Values{}, 0.5));
  CHECK_FALSE(stats::quantile(Values{1}, 1.5));
  CHECK_FALSE(stats::quantile(Values{1}, not_a_number));
  CHECK_FALSE(stats::skewness(Values{2, 2, 2}));
  CHECK(stats::quantile(Values{-huge, huge}, 0.5) == 0);
}

TEST_CASE("equal values have exactly their mean and exactly no variance, however many") {
  for (const double value : {0.1, 1e-300, 1e300, -1.0 / 3}) {
    for (const std::size_t n : {2U, 3U, 7U, 1000U}) {
      const auto m = stats::moments(Values(n, value));
      REQUIRE(m);
      CHECK(m->mean == value);
      CHECK(m->variance == 0);
    }
  }
}

TEST_CASE("a contrast without variance compares exactly, with rounding taken for equality") {
  // 0.3·k and 3·0.1·k differ in the last place.
  Values t, c;
  for (int k = 1; k <= 9; ++k) {
    t.push_back(0.3 * k);
    c.push_back(0.1 * k);
  }
  const auto equal = stats::paired_contrast(t, c, 3);
  REQUIRE(equal);
  CHECK(equal->standard_error == 0);
  CHECK(equal->estimate == 0);
  CHECK(stats::p_less(*equal) == 1);
  CHECK(stats::p_greater(*equal) == 1);
  CHECK(stats::p_two_sided(*equal) == 1);
  const auto less = stats::paired_contrast(t, c, 3, 0.001);
  REQUIRE(less);
  CHECK(less->standard_error == 0);
  CHECK(stats::p_less(*less) == 0);
  CHECK(stats::p_greater(*less) == 1);
  CHECK(stats::p_two_sided(*less) == 0);
  const stats::Interval i = stats::interval(*less, 0.9);
  CHECK(*i.low == *i.high);
}

TEST_CASE("a contrast needs two values everywhere") {
  CHECK_FALSE(stats::paired_contrast(Values{1}, Values{2}));
  CHECK_FALSE(stats::paired_contrast(Values{1, 2}, Values{2}));
  CHECK_FALSE(stats::paired_contrast(Values{1, not_a_number}, Values{2, 3}));
  CHECK_FALSE(stats::paired_contrast(Values{huge, -huge}, Values{-huge, huge}));
  CHECK_FALSE(stats::independent_contrast({}, std::vector{*stats::moments(Values{1, 2})}));
  CHECK_FALSE(stats::independent_contrast({}, {}));
}

TEST_CASE("one cell without variance beside one that varies leaves Welch's degrees of freedom to the other") {
  const auto c = welch(Values{5, 5, 5, 5}, Values{1, 2, 4});
  REQUIRE(c);
  CHECK(c->df == Approx(2).epsilon(1e-12));
  CHECK(c->standard_error > 0);
}

TEST_CASE("a contrast does not depend on the unit, however tiny or huge") {
  const Values t{1, 2, 4, 7}, c{2, 2.5, 1};
  const auto plain = welch(t, c);
  for (const double unit : {1e-120, 1e120}) {
    Values ts = t, cs = c;
    for (double& v : ts) v *= unit;
    for (double& v : cs) v *= unit;
    const auto scaled = welch(ts, cs);
    REQUIRE(scaled);
    CHECK(scaled->df == Approx(plain->df).epsilon(1e-9));
    CHECK(stats::p_less(*scaled) == Approx(stats::p_less(*plain)).epsilon(1e-9));
  }
}

TEST_CASE("a ratio over a mean of zero is unbounded, and over one that never varies exact") {
  CHECK_FALSE(stats::fieller(1, 0, 1, 0, 1, 2).low);
  CHECK_FALSE(stats::fieller(0, 0, 0, 0, 0, 2).high);
  const stats::Interval half = stats::fieller(3, 2, 0, 0, 1, 2);  // a = 0: one end only
  CHECK(half.low.has_value() != half.high.has_value());
  const auto exact = stats::fieller_paired(Values{1, 1, 1}, Values{2, 2, 2}, 0.9);
  REQUIRE(exact);
  CHECK(exact->low == 0.5);
  CHECK(exact->high == 0.5);
  const auto zero =
      stats::fieller_independent(std::vector<stats::Moments>{{3, 0, 0}}, std::vector<stats::Moments>{{3, 2, 0}}, 0.9);
  REQUIRE(zero);
  CHECK(zero->low == 0);
  const auto none =
      stats::fieller_independent(std::vector<stats::Moments>{{3, 1, 1}}, std::vector<stats::Moments>{{3, 0, 0}}, 0.9);
  REQUIRE(none);
  CHECK_FALSE(none->low);
  CHECK_FALSE(none->high);
}

TEST_CASE("a line needs two places and a degree of freedom; a perfect one has no error") {
  using Strata = std::vector<std::vector<stats::Point>>;
  CHECK_FALSE(stats::mean_slope(Strata{}));
  CHECK_FALSE(stats::mean_slope(Strata{{{1, 1}, {1, 2}, {1, 3}}}));
  CHECK_FALSE(stats::mean_slope(Strata{{{1, 1}, {2, 2}}}));
  CHECK_FALSE(stats::mean_slope(Strata{{{1, 1}, {2, not_a_number}, {3, 3}}}));
  Strata line(1);
  for (int i = 1; i <= 6; ++i) line[0].push_back({std::log(1000.0 * i), 2 * std::log(1000.0 * i) + 0.1});
  const auto fit = stats::mean_slope(line);
  REQUIRE(fit);
  CHECK(fit->residual_variance == 0);
  CHECK(fit->slope.estimate == Approx(2).epsilon(1e-12));
}

TEST_CASE("a bootstrap of values that do not vary, or not finite ones, has no answer") {
  CHECK_FALSE(stats::bootstrap(std::vector<stats::WeightedSample>{{{1, 1, 1}, 1}}, 100, 1));
  CHECK_FALSE(stats::bootstrap(std::vector<stats::WeightedSample>{{{1}, 1}}, 100, 1));
  CHECK_FALSE(stats::bootstrap(std::vector<stats::WeightedSample>{{{1, not_a_number}, 1}}, 100, 1));
  CHECK_FALSE(stats::bootstrap(std::vector<stats::WeightedSample>{}, 100, 1));
}

TEST_CASE("the same seed gives the same bootstrap, another seed another") {
  const std::vector<stats::WeightedSample> sample{{{1, 2, 4, 8, 16, 32}, 1}};
  CHECK(stats::bootstrap(sample, 200, 7)->replicates == stats::bootstrap(sample, 200, 7)->replicates);
  CHECK(stats::bootstrap(sample, 200, 7)->replicates != stats::bootstrap(sample, 200, 8)->replicates);
}

TEST_CASE("distributions answer at infinity and refuse what is outside their domain") {
  CHECK(stats::t_cdf(inf, 3) == 1);
  CHECK(stats::t_upper(inf, 3) == 0);
  CHECK(stats::t_quantile(1, 3) == inf);
  CHECK(stats::t_quantile(0.975, inf) == Approx(1.959963984540054).epsilon(1e-12));
  CHECK(stats::noncentral_t_upper(-inf, 3, 1) == 1);
  CHECK_THROWS_AS(stats::t_cdf(not_a_number, 3), std::domain_error);
  CHECK_THROWS_AS(stats::t_quantile(0.5, 0), std::domain_error);
  CHECK_THROWS_AS(stats::t_quantile(1.5, 3), std::domain_error);
}

TEST_CASE("the noncentral t stays a falling probability far out, for any degrees of freedom") {
  for (const double df : {1.0, 2.0, 3.7, 20.0, 500.0, 1e5, 1e7}) {
    for (const double nc : {-2000.0, -300.0, -60.0, -10.0, -0.001, 0.001, 10.0, 60.0, 300.0, 2000.0}) {
      double before = 1;
      for (const double share : {-3.0, -1.5, -1.0, -0.5, 0.0, 0.5, 0.9, 1.0, 1.1, 1.5, 3.0, 30.0}) {
        const double upper = stats::noncentral_t_upper(share * std::abs(nc), df, nc);
        CAPTURE(df, nc, share, upper, before);
        CHECK(upper >= 0);
        CHECK(upper <= before + 1e-9);
        before = upper;
      }
    }
  }
}

TEST_CASE("power rises with n from alpha to one, and the smallest n reaches its target") {
  const auto power = [](int n) { return stats::t_power(0.5 * std::sqrt(n), n - 1, 0.05, stats::Sides::one); };
  double before = 0;
  for (int n = 2; n < 400; ++n) {
    const double now = power(n);
    CHECK(now >= before);
    before = now;
  }
  CHECK(before > 0.999);
  CHECK(stats::t_power(0, 10, 0.05, stats::Sides::one) == Approx(0.05).epsilon(1e-9));
  CHECK(stats::t_power(0, 10, 0.05, stats::Sides::two) == Approx(0.05).epsilon(1e-9));
  // G*Power 3.1: one-sample t, d = 0.5, one tail, alpha 0.05, power 0.8 needs 27.
  CHECK(stats::smallest_n(2, 1000, 0.8, power) == 27);
  CHECK_FALSE(stats::smallest_n(2, 10, 0.8, power));
}

TEST_CASE("Stein's power is all without variance, and none without distance") {
  CHECK(stats::stein_power({0, 4, 1, 0.05}, 5) == 1);
  CHECK(stats::stein_power({0, 4, 0, 0.05}, 5) == 0);
  CHECK(stats::fresh_power({0, 4, 1, 0.05}, 5, 4) == 1);
  CHECK(stats::fresh_power({1, 4, 0, 0.05}, 5, 4) < 0.06);
}

TEST_CASE("an index is drawn evenly and a normal has its moments") {
  stats::Xoshiro random(3);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) CHECK(std::abs(count - 10000) < 400);  // over 4 standard deviations
  double sum = 0, squares = 0;
  for (int i = 0; i < 50000; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
  }
  CHECK(std::abs(sum / 50000) < 0.02);
  CHECK(std::abs(squares / 50000 - 1) < 0.03);
}

TEST_CASE("shapes that no caller may give end the program") {
  CHECK(last_words([] { stats::sorted_quantile({}, 0.5); }));
  CHECK(last_words([] { stats::sorted_quantile(std::vector<double>{1, 2}, 1.5); }));
  CHECK(last_words([] { stats::Xoshiro(1).below(0); }));
  CHECK(last_words([] { stats::middle_place({}); }));
  CHECK(last_words([] { stats::least_squares({{1, 2}, {1, 3}}, {1}); }));
  CHECK(last_words([] { stats::least_squares({{1, 2}, {1}}, {1, 2}); }));
  CHECK(last_words([] { stats::sign_flip_tails(std::vector<std::int64_t>{1, -1}, 0); }));
  CHECK(last_words([] { stats::label_tails(std::vector<std::int64_t>{1, 2}, 3, 0); }));
}

// Rank tests and their intervals: what they promise whatever the sample, and what has no answer.

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include "stats/basics/random.h"
#include "stats/diagnostics/sample_checks.h"
#include "stats/ranks/censored.h"
#include "stats/ranks/wilcoxon.h"

using Values = std::vector<double>;
using Outcomes = std::vector<std::optional<double>>;
using Durations = std::vector<stats::Duration>;

namespace {

const double endless = std::numeric_limits<double>::infinity();
const double undefined = std::numeric_limits<double>::quiet_NaN();

/// On a grid so coarse that values tie, and many lie on others' means.
Values coarse(stats::Xoshiro& random, std::size_t n, std::uint32_t levels) {
  Values out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(0.25 * random.below(levels));
  return out;
}

/// The interval's ends are where the test begins to reject: beyond, not within.
template <typename Test>
void check_inverted(const Test& test, double level) {
  const double alpha = 1 - level, step = 1e-6;
  const stats::Interval i = stats::interval(test, level);
  if (i.low) {
    CHECK(2 * stats::p_at(test, *i.low - step).greater <= alpha);
    CHECK(2 * stats::p_at(test, *i.low + step).greater > alpha);
  } else {
    CHECK(2 * stats::p_at(test, -1e6).greater > alpha);
  }
  if (i.high) {
    CHECK(2 * stats::p_at(test, *i.high + step).less <= alpha);
    CHECK(2 * stats::p_at(test, *i.high - step).less > alpha);
  } else {
    CHECK(2 * stats::p_at(test, 1e6).less > alpha);
  }
}

template <typename Test>
void check_never_falls(const Test& test) {
  double before = 0, after = 1;
  for (double at = -6; at <= 6; at += 0.0625) {
    CHECK(stats::p_at(test, at).greater >= before * (1 - 1e-12));
    CHECK(stats::p_at(test, at).less <= after * (1 + 1e-12));
    before = stats::p_at(test, at).greater;
    after = stats::p_at(test, at).less;
  }
}

template <typename Test>
void check_mirrored(const Test& test, const Test& swapped) {
  CHECK(swapped.estimate == -test.estimate);
  CHECK(stats::p_at(swapped).less == Approx(stats::p_at(test).greater).epsilon(1e-12));
  CHECK(stats::two_sided(stats::p_at(swapped, -0.5)) ==
        Approx(stats::two_sided(stats::p_at(test, 0.5))).epsilon(1e-12));
  const stats::Interval one = stats::interval(test, 0.9), other = stats::interval(swapped, 0.9);
  CHECK(one.low.has_value() == other.high.has_value());
  if (one.low) CHECK(*one.low == Approx(-*other.high));
}

}  // namespace

TEST_CASE("the interval of a rank test holds exactly the shifts that the test keeps, ties and zeros or not") {
  stats::Xoshiro random(11);
  for (const std::size_t n : {1U, 2U, 5U, 9U, 20U, 50U, 51U, 70U}) {
    for (const double level : {0.5, 0.8, 0.9, 0.95, 0.995}) {
      CAPTURE(n, level);
      check_inverted(*stats::signed_rank(coarse(random, n, 9), coarse(random, n, 9)), level);
      check_inverted(*stats::mann_whitney(coarse(random, n, 9), coarse(random, n / 2 + 1, 9)), level);
    }
  }
}

TEST_CASE("the p of an exact rank test never moves against the shift") {
  stats::Xoshiro random(12);
  for (int i = 0; i < 12; ++i) {
    check_never_falls(*stats::signed_rank(coarse(random, 8, 7), coarse(random, 8, 7)));
    check_never_falls(*stats::mann_whitney(coarse(random, 6, 7), coarse(random, 5, 7)));
  }
}

TEST_CASE("exchanging the arms mirrors a rank test") {
  stats::Xoshiro random(13);
  for (const std::size_t n : {3U, 10U, 40U, 60U}) {
    const Values t = coarse(random, n, 30), c = coarse(random, n, 30);
    check_mirrored(*stats::signed_rank(t, c), *stats::signed_rank(c, t));
    check_mirrored(*stats::mann_whitney(t, c), *stats::mann_whitney(c, t));
  }
}

TEST_CASE("the smallest p of a rank test is the one of the most extreme sample") {
  CHECK(stats::smallest_signed_rank_p(5) == 1.0 / 32);
  CHECK(stats::smallest_signed_rank_p(9) == 1.0 / 512);
  CHECK(stats::smallest_signed_rank_p(0) == 1);
  CHECK(stats::smallest_mann_whitney_p(4, 4) == Approx(1.0 / 70).epsilon(1e-12));
  CHECK(stats::smallest_mann_whitney_p(4, 0) == 1);
  for (const std::size_t n : {1U, 7U, 50U, 60U}) {
    Values low, high;
    for (std::size_t i = 0; i < n; ++i) {
      low.push_back(static_cast<double>(i));
      high.push_back(1000.0 + 3 * static_cast<double>(i));
    }
    CHECK(stats::p_at(*stats::signed_rank(low, high)).less == Approx(stats::smallest_signed_rank_p(n)).epsilon(1e-9));
    CHECK(stats::p_at(*stats::mann_whitney(low, high)).less ==
          Approx(stats::smallest_mann_whitney_p(n, n)).epsilon(1e-9));
  }
}

TEST_CASE("a sample that is empty or not finite has no rank test") {
  CHECK_FALSE(stats::signed_rank(Values{}, Values{}));
  CHECK_FALSE(stats::signed_rank(Values{1}, Values{1, 2}));
  CHECK_FALSE(stats::signed_rank(Values{1, undefined}, Values{1, 2}));
  CHECK_FALSE(stats::signed_rank(Values{1, 2}, Values{1, endless}));
  CHECK_FALSE(stats::mann_whitney(Values{}, Values{1}));
  CHECK_FALSE(stats::mann_whitney(Values{1, undefined}, Values{1, 2}));
  CHECK_FALSE(stats::mann_whitney(Values{1, 2}, Values{1, -endless}));
}

TEST_CASE("equal values are no evidence, and one value of each is no bound") {
  for (const std::size_t n : {10U, 60U}) {
    const auto pairs = stats::signed_rank(Values(n, 0.1), Values(n, 0.1));
    CHECK(stats::p_at(*pairs).less == 1);
    CHECK(stats::two_sided(stats::p_at(*pairs)) == 1);
    CHECK(pairs->estimate == 0);
    CHECK(stats::interval(*pairs, 0.9).low == 0);
    CHECK(stats::interval(*pairs, 0.9).high == 0);
    const auto arms = stats::mann_whitney(Values(n, 2), Values(n, 1));
    CHECK(stats::two_sided(stats::p_at(*arms, 1)) == 1);
    CHECK(stats::interval(*arms, 0.9).low == 1);
    CHECK(stats::interval(*arms, 0.9).high == 1);
  }
  const auto pair = stats::signed_rank(Values{1}, Values{3});
  CHECK(stats::p_at(*pair).less == 0.5);
  CHECK(stats::two_sided(stats::p_at(*pair)) == 1);
  CHECK_FALSE(stats::interval(*pair, 0.9).low);
  CHECK_FALSE(stats::interval(*pair, 0.9).high);
  const auto two = stats::mann_whitney(Values{1}, Values{3});
  CHECK(stats::p_at(*two).less == 0.5);
  CHECK_FALSE(stats::interval(*two, 0.9).low);
}

TEST_CASE("what rounding left of equal numbers ties in ranks, and the unit is of no account") {
  for (const double unit : {1e-120, 1.0, 1e120}) {
    Values t, c, other;
    for (int k = 1; k <= 9; ++k) {
      t.push_back(0.3 * k * unit);
      c.push_back(0.1 * k * unit);
      other.push_back((0.1 * k * k - 1) * unit);
    }
    CHECK(stats::two_sided(stats::p_at(*stats::signed_rank(t, c, 3))) == 1);
    CHECK(stats::two_sided(stats::p_at(*stats::mann_whitney(t, c, 3))) == 1);
    // Differences 1.2, 1.2, 1, 0.6, 0, -0.8, … of which rounding would order those that tie.
    const auto pairs = stats::signed_rank(t, other);
    CHECK(stats::p_at(*pairs).greater == 370.0 / 512);
    CHECK(pairs->estimate / unit == Approx(-0.4));
    CHECK(*stats::interval(*pairs, 0.8).low / unit == Approx(-1.6));
    check_mirrored(*stats::mann_whitney(t, other), *stats::mann_whitney(other, t));
  }
}

TEST_CASE("pairs of which all failed say nothing, and a failed arm is the worst") {
  const Outcomes failed(6), fine{1, 2, 3, 4, 5, 6};
  const stats::FailedRanks highest{};
  CHECK(stats::worst_rank_paired(failed, failed, highest)->less == 1);
  CHECK(stats::worst_rank_independent(failed, failed, highest)->greater == 1);
  CHECK(stats::worst_rank_paired(failed, fine, highest)->greater == stats::smallest_signed_rank_p(6));
  CHECK(stats::worst_rank_independent(fine, failed, highest, 1, 100)->less ==
        Approx(stats::smallest_mann_whitney_p(6, 6)).epsilon(1e-12));
  const stats::FailedRanks against{stats::FailedRank::highest, stats::FailedRank::lowest};
  CHECK(stats::worst_rank_paired(failed, failed, against)->greater == stats::smallest_signed_rank_p(6));
  CHECK_FALSE(stats::worst_rank_paired(Outcomes{}, Outcomes{}, highest));
  CHECK_FALSE(stats::worst_rank_paired(Outcomes{1, 2}, Outcomes{1}, highest));
  CHECK_FALSE(stats::worst_rank_independent(Outcomes{undefined}, Outcomes{1}, highest));
  CHECK_FALSE(stats::worst_rank_paired(Outcomes{1}, Outcomes{endless}, highest));
}

TEST_CASE("without failures worst ranks are the plain tests, against a ratio and a shift too") {
  stats::Xoshiro random(14);
  const Values t = coarse(random, 9, 12), c = coarse(random, 9, 12);
  const Outcomes ts(t.begin(), t.end()), cs(c.begin(), c.end());
  CHECK(stats::worst_rank_paired(ts, cs, {}, 1.5, 0.25)->less ==
        stats::p_at(*stats::signed_rank(t, c, 1.5, 0.25)).less);
  CHECK(stats::worst_rank_independent(ts, cs, {}, 1.5, 0.25)->less ==
        stats::p_at(*stats::mann_whitney(t, c, 1.5, 0.25)).less);
}

TEST_CASE("times that were all cut off say nothing, and without any cut off Gehan's test is Mann and Whitney's") {
  const Durations cut(5, {10, true});
  CHECK(stats::gehan(cut, cut)->less == 1);
  CHECK(stats::paired_gehan(cut, cut)->greater == 1);
  stats::Xoshiro random(15);
  for (const std::size_t n : {1U, 6U, 40U}) {
    const Values t = coarse(random, n, 20), c = coarse(random, n, 20);
    Durations ts, cs;
    for (const double v : t) ts.push_back({v});
    for (const double v : c) cs.push_back({v});
    CHECK(stats::gehan(ts, cs)->less == Approx(stats::mann_whitney_p(t, c).less).epsilon(1e-12));
    CHECK(stats::gehan(ts, cs)->greater == Approx(stats::mann_whitney_p(t, c).greater).epsilon(1e-12));
  }
}

TEST_CASE("censored tests are mirrored by exchanging the arms, and have no answer without data") {
  const Durations a{{1}, {2}, {4}, {9, true}, {endless}}, b{{3}, {5, true}, {9, true}, {2}, {8}};
  CHECK(stats::gehan(a, b)->less == Approx(stats::gehan(b, a)->greater).epsilon(1e-12));
  CHECK(stats::paired_gehan(a, b)->less == Approx(stats::paired_gehan(b, a)->greater).epsilon(1e-12));
  CHECK_FALSE(stats::gehan(Durations{}, b));
  CHECK_FALSE(stats::paired_gehan(a, Durations{{1}}));
  CHECK_FALSE(stats::gehan(Durations{{undefined}}, b));
  // An end at the moment of a cut comes first.
  CHECK(stats::gehan(Durations{{9}}, Durations{{9, true}})->less == 0.5);
}

TEST_CASE("a steady rise has two runs and no inversion, and what never varies no order") {
  const Values rise{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto runs = stats::runs_test(rise);
  CHECK(runs->runs == 2);
  CHECK(runs->p.less == Approx(2.0 / 252).epsilon(1e-12));
  CHECK(runs->p.greater == Approx(1).epsilon(1e-12));
  CHECK(stats::order_correlation(rise)->tau == 1);
  CHECK(stats::order_correlation(Values{1, 2, 3, 4, 5})->p.greater == Approx(1.0 / 120).epsilon(1e-12));
  CHECK_FALSE(stats::runs_test(Values{}));
  CHECK_FALSE(stats::runs_test(Values{1}));
  CHECK_FALSE(stats::runs_test(Values(20, 3)));
  CHECK_FALSE(stats::runs_test(Values{1, 2, undefined}));
  CHECK_FALSE(stats::runs_test(Values{1, 1, 1, 2}));  // None below the median.
  CHECK_FALSE(stats::order_correlation(Values{1}));
  CHECK_FALSE(stats::order_correlation(Values(60, 3)));
  CHECK_FALSE(stats::order_correlation(Values{1, endless}));
}

TEST_CASE("a ratio of ranks needs controls above zero, and follows the unit of either arm") {
  const Values t = {3, 5, 8, 13, 4, 7}, c = {2, 3, 7, 9, 1, 5};
  for (const auto& ratio : {stats::signed_rank_ratio, stats::mann_whitney_ratio}) {
    CHECK_FALSE(ratio(t, Values{2, 3, 7, 9, 0, 5}, 0.9));
    CHECK_FALSE(ratio(t, Values{2, 3, 7, 9, -1, 5}, 0.9));
    CHECK_FALSE(ratio(Values{}, Values{}, 0.9));
    CHECK_FALSE(ratio(Values{endless}, Values{1}, 0.9));
    const stats::RankRatio one = ratio(t, c, 0.8).value();
    Values scaled = c;
    for (double& v : scaled) v *= 4;
    const stats::RankRatio other = ratio(t, scaled, 0.8).value();
    CHECK(other.estimate == Approx(one.estimate / 4));
    CHECK(*other.interval.low == Approx(*one.interval.low / 4));
    CHECK(*other.interval.high == Approx(*one.interval.high / 4));
    CHECK(*one.interval.low < one.estimate);
    CHECK(one.estimate < *one.interval.high);
  }
  CHECK_FALSE(stats::signed_rank_ratio(t, Values{1, 2}, 0.9));
  // Too few to bound: no sample of this size is rejected.
  CHECK_FALSE(stats::signed_rank_ratio(Values{1, 2}, Values{1, 1}, 0.9)->interval.low);
}

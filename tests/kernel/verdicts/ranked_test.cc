// Verdicts by ranks: what they hold against outliers, what they refuse, and that few runs cannot decide by them.

#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "kernel/sizing/sizing.h"
#include "kernel/verdicts/verdict_reason.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/verdicts/judging.h"
#include "tests/rounds.h"

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisResult;
using kernel::Verdict;
using synthetic::absolute;
using synthetic::compare;
using synthetic::judge_one;
using synthetic::relative;
using synthetic::Runs;

namespace {

Hypothesis by_ranks(Direction direction, std::optional<kernel::Margin> margin = {}) {
  Hypothesis h = compare(direction, margin);
  h.method = kernel::Method::rank;
  return h;
}

/// Cauchy noise: no mean, no variance.
Runs wild(stats::Xoshiro& random, int n, double t, double c) {
  std::vector<double> ts, cs;
  for (int i = 0; i < n; ++i) {
    ts.push_back(t + std::tan(M_PI * (random.uniform() - 0.5)));
    cs.push_back(c + std::tan(M_PI * (random.uniform() - 0.5)));
  }
  Runs runs;
  runs.add_all({{"arm", "t"}}, ts);
  runs.add_all({{"arm", "c"}}, cs);
  return runs;
}

Runs with_outlier() {
  Runs runs;
  runs.add_all({{"arm", "t"}}, {8, 7.9, 8.2, 8.1, 7.8, 8.05, 8.15, 90, 7.95, 8.25, 7.85, 8.3});
  runs.add_all({{"arm", "c"}}, {10, 10.2, 9.9, 10.1, 10.3, 9.8, 10.05, 9.95, 10.15, 9.85, 10.25, 9.9});
  return runs;
}

}  // namespace

TEST_CASE("one outlier hides an effect from t, and not from ranks") {
  const kernel::StudySpec spec = synthetic::study(12);
  CHECK(judge_one(spec, compare(Direction::less), with_outlier()).verdict != Verdict::supported);
  const HypothesisResult r = judge_one(spec, by_ranks(Direction::less), with_outlier());
  CHECK(r.verdict == Verdict::supported);
  // Hodges and Lehmann's estimate; the mean difference is +8.
  CHECK(*r.effect == Approx(-2).margin(0.15));
  CHECK(*r.effect_relative == Approx(-0.2).margin(0.02));
  CHECK(*r.high < 0);
  // The outlier's rank is the 12th: 70 sets of other ranks sum to no more (OEIS A000009, summed), but for ties.
  CHECK(*r.p == Approx(70.0 / 4096).epsilon(0.1));
  CHECK_FALSE(r.bca_low);
  CHECK(*r.se > 0);
}

TEST_CASE("without pairs ranks compare as Mann and Whitney do") {
  kernel::StudySpec spec = synthetic::study(12);
  spec.design.pairing = kernel::Pairing::none;
  const HypothesisResult r = judge_one(spec, by_ranks(Direction::less, relative(0.1)), with_outlier());
  CHECK(r.verdict == Verdict::supported);
  CHECK(*r.relative_high < -0.1);
  CHECK(*r.effect_relative == Approx(-0.2).margin(0.02));

  spec = synthetic::study(4, {synthetic::factor("n", {"1", "2"})});
  spec.design.pairing = kernel::Pairing::none;
  Runs crossed;
  for (const char* n : {"1", "2"}) {
    crossed.add_all({{"arm", "t"}, {"n", n}}, {1, 2.5, 3, 4});
    crossed.add_all({{"arm", "c"}, {"n", n}}, {11, 12, 13, 14});
  }
  const HypothesisResult averaged = judge_one(spec, by_ranks(Direction::less), crossed);
  CHECK(averaged.verdict == Verdict::inconclusive);
  CHECK(newest_words(averaged.reason).find("compare one cell with one") != std::string::npos);
  Hypothesis every = by_ranks(Direction::less);
  every.over = kernel::Over::every;
  CHECK(judge_one(spec, every, crossed).verdict == Verdict::supported);
  spec.design.pairing = kernel::Pairing::seed;  // Each seed's mean over the cells is one number: ranks it has.
  spec.design.alpha = 0.1;
  CHECK(judge_one(spec, by_ranks(Direction::less), crossed).verdict == Verdict::supported);
}

TEST_CASE("a relative margin by ranks needs controls above zero") {
  const kernel::StudySpec spec = synthetic::study(8);
  Runs runs;
  runs.add_all({{"arm", "t"}}, {-5, -4, -3, -5, -6, -4.5, -3.5, -5.5});
  runs.add_all({{"arm", "c"}}, {1, 2, 1.5, 2.5, 3, 1.2, 0, 2.2});
  const HypothesisResult r = judge_one(spec, by_ranks(Direction::less, relative(0.1)), runs);
  CHECK(r.verdict == Verdict::inconclusive);
  CHECK(newest_words(r.reason).find("needs every control above zero") != std::string::npos);
  CHECK(judge_one(spec, by_ranks(Direction::less, absolute(1)), runs).verdict == Verdict::supported);
}

TEST_CASE("what differs by the same on every seed is no evidence by ranks either") {
  Runs runs;
  runs.add_all({{"arm", "t"}}, {1, 2, 3, 4, 5, 6, 7, 8});
  runs.add_all({{"arm", "c"}}, {2, 3, 4, 5, 6, 7, 8, 9});
  const HypothesisResult r = judge_one(synthetic::study(8), by_ranks(Direction::less), runs);
  CHECK(r.verdict == Verdict::inconclusive);
  CHECK(newest_words(r.reason).find("exactly the same on every seed") != std::string::npos);
}

TEST_CASE("ranks of too few runs are refused before anything runs: no p of theirs is small enough") {
  const auto refused = [](int replicates, int family, kernel::Pairing pairing, Direction direction) {
    kernel::StudySpec spec = synthetic::study(replicates);
    spec.design.pairing = pairing;
    return kernel::size_of(spec, by_ranks(direction), family, {}).refused;
  };
  const kernel::Pairing seed = kernel::Pairing::seed, none = kernel::Pairing::none;
  for (const auto& [family, least] : {std::pair{1, 5}, std::pair{5, 7}, std::pair{20, 9}}) {
    CHECK(refused(least - 1, family, seed, Direction::less));
    CHECK_FALSE(refused(least, family, seed, Direction::less));
  }
  CHECK(refused(5, 1, seed, Direction::different));  // 2 · 2⁻⁵ > 0.05
  CHECK_FALSE(refused(6, 1, seed, Direction::different));
  CHECK(refused(2, 1, none, Direction::less));        // 1/6
  CHECK_FALSE(refused(3, 1, none, Direction::less));  // 1/20
}

TEST_CASE("failed runs rank worst for a verdict by ranks") {
  const kernel::StudySpec spec = [] {
    kernel::StudySpec s = synthetic::study(12);
    s.design.max_failed = 0.5;
    return s;
  }();
  const auto judged = [&](int failures) {
    Runs runs;
    std::vector<double> control;
    for (int i = 0; i < 12; ++i) {
      runs.add({{"arm", "t"}}, static_cast<std::uint64_t>(i + 1), 5 + 0.1 * i, i < failures);
      control.push_back(10 + 0.07 * i * i);
    }
    runs.add_all({{"arm", "c"}}, control);
    return judge_one(spec, by_ranks(Direction::less), runs).verdict;
  };
  CHECK(judged(0) == Verdict::supported);
  CHECK(judged(1) == Verdict::supported);
  CHECK(judged(5) == Verdict::inconclusive);
}

TEST_CASE("ranks keep their level where the noise has no variance, and their interval says what they decide") {
  constexpr int studies = tests::rounds(2000);
  for (const kernel::Pairing pairing : {kernel::Pairing::seed, kernel::Pairing::none}) {
    kernel::StudySpec spec = synthetic::study(10);
    spec.design.pairing = pairing;
    stats::Xoshiro random(11);
    int supported = 0, covered = 0, disagreed = 0;
    for (int i = 0; i < studies; ++i) {
      const HypothesisResult r = judge_one(spec, by_ranks(Direction::less, absolute(1)), wild(random, 10, 9, 10));
      supported += r.verdict == Verdict::supported ? 1 : 0;
      disagreed += (r.verdict == Verdict::supported) != (r.high && *r.high < -1) ? 1 : 0;
      covered += r.verdict == Verdict::refuted || (*r.low <= -1 && *r.high >= -1) ? 1 : 0;
    }
    CHECK(supported <= studies * 0.05 + 3.3 * std::sqrt(studies * 0.05 * 0.95));
    CHECK(supported > studies * 0.02);  // Discrete, and not useless.
    CHECK(covered >= studies * 0.9 - 3.3 * std::sqrt(studies * 0.1 * 0.9));
    CHECK(disagreed == 0);
  }
}

TEST_CASE("the size for ranks buys the power that was asked for where the noise is normal") {
  kernel::StudySpec spec = synthetic::study(10);
  spec.design.replicates_min = 3;
  spec.design.replicates_max = 200;
  Hypothesis h = by_ranks(Direction::less);
  h.smallest_effect = {kernel::SmallestEffect::Kind::sd, 0.8};
  const auto sized = kernel::size_of(spec, h, 1, {}).record;
  h.method = kernel::Method::t;
  CHECK(sized.replicates >= kernel::size_of(spec, h, 1, {}).record.replicates);
  h.method = kernel::Method::rank;
  stats::Xoshiro random(3);
  constexpr int studies = tests::rounds(2000);
  int supported = 0;
  // The differences' sd is √2 of an arm's.
  for (int i = 0; i < studies; ++i)
    supported +=
        judge_one(spec, h, synthetic::two_arms(random, sized.replicates, 10 - 0.8 * std::sqrt(2.0), 10, 1)).verdict ==
                Verdict::supported
            ? 1
            : 0;
  CHECK(supported >= studies * 0.79 - 3.3 * std::sqrt(studies * 0.2 * 0.8));
}

TEST_CASE("an interval without width is named, and says nothing of what the runs would show") {
  Runs runs;
  std::vector<double> ts(40, 100), cs(40, 100);
  for (const std::size_t unequal : {2, 7}) ts[unequal] += 1;
  runs.add_all({{"arm", "t"}}, ts);
  runs.add_all({{"arm", "c"}}, cs);
  const HypothesisResult r = judge_one(synthetic::study(40), by_ranks(Direction::greater), runs);
  REQUIRE(r.verdict == Verdict::inconclusive);
  CHECK(*r.low == *r.high);
  CHECK(r.reason.code == kernel::ReasonCode::no_width_no_verdict);
  CHECK_THAT(kernel::sentence(r.reason, kernel::wording_version),
             Catch::Matchers::Contains("has no width, because so many values tie.") &&
                 Catch::Matchers::EndsWith("Therefore it does not say what effect these runs would show."));
  CHECK(kernel::before_ties(r.reason).code == kernel::ReasonCode::too_few_runs);
  CHECK_THAT(kernel::sentence(kernel::before_ties(r.reason), kernel::wording_version),
             Catch::Matchers::Contains("lies neither wholly inside nor wholly outside"));
}

TEST_CASE("where both arms are equal on every seed, the reason does not speak of a constant") {
  Runs runs;
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) values.push_back(100 + i);
  runs.add_all({{"arm", "t"}}, values);
  runs.add_all({{"arm", "c"}}, values);
  kernel::StudySpec spec = synthetic::study(12);
  spec.design.reading = true;
  Hypothesis h = by_ranks(Direction::less);
  h.method = kernel::Method::t;
  const std::string equal = kernel::sentence(judge_one(spec, h, runs).reason, kernel::wording_version);
  CHECK_THAT(equal, Catch::Matchers::Contains("is exactly 0 on every seed") &&
                        Catch::Matchers::EndsWith("look whether the factor reaches the code."));
  Runs shifted;
  for (double& value : values) value += 1;
  shifted.add_all({{"arm", "t"}}, values);
  for (double& value : values) value -= 1;
  shifted.add_all({{"arm", "c"}}, values);
  CHECK_THAT(kernel::sentence(judge_one(spec, h, shifted).reason, kernel::wording_version),
             Catch::Matchers::Contains("look whether a constant was added"));
}

TEST_CASE("a supported verdict whose interval ends where the region begins says that the test rejects that end") {
  // Two of three pairs tie. Pratt's test rejects 0, and the closed interval ends there.
  Runs runs;
  std::vector<double> ts, cs;
  for (int i = 0; i < 20; ++i) {
    cs.push_back(100 + i);
    ts.push_back(100 + i + (i % 3 == 0 ? 5 + i : 0));
  }
  runs.add_all({{"arm", "t"}}, ts);
  runs.add_all({{"arm", "c"}}, cs);
  const kernel::StudySpec spec = synthetic::study(20);
  const HypothesisResult r = judge_one(spec, by_ranks(Direction::greater), runs);
  REQUIRE(r.verdict == Verdict::supported);
  CHECK(*r.low == 0);
  CHECK(r.reason.code == kernel::ReasonCode::interval_inside_but_end);
  CHECK_THAT(kernel::sentence(r.reason, kernel::wording_version),
             Catch::Matchers::Contains("except for one end, which is the limit itself."));
  CHECK(kernel::before_ties(r.reason).code == kernel::ReasonCode::interval_inside);
  CHECK_THAT(kernel::sentence(kernel::before_ties(r.reason), kernel::wording_version),
             Catch::Matchers::EndsWith(", lies wholly inside what was hypothesised (greater than the control)."));
  for (double& t : ts) t += 1;
  Runs without_ties;
  without_ties.add_all({{"arm", "t"}}, ts);
  without_ties.add_all({{"arm", "c"}}, cs);
  CHECK(judge_one(spec, by_ranks(Direction::greater), without_ties).reason.code == kernel::ReasonCode::interval_inside);
}

// Verdicts on runs that succeed or do not: exact tests against no difference, Newcombe's interval against margins.

#include <catch2/catch.hpp>

#include "kernel/inference/test_method.h"
#include "kernel/sizing/sizing.h"
#include "stats/effects/proportions.h"
#include "tests/kernel/verdicts/judging.h"

using kernel::Direction;
using kernel::HypothesisResult;
using kernel::Verdict;
using synthetic::absolute;
using synthetic::compare;
using synthetic::judge_one;
using synthetic::relative;
using synthetic::Runs;

namespace {

kernel::StudySpec outcomes(int replicates, bool paired = false) {
  kernel::StudySpec spec = synthetic::study(replicates);
  spec.metrics[0].type = kernel::MetricType::proportion;
  spec.metrics[0].goal = kernel::Goal::maximize;
  if (!paired) spec.design.pairing = kernel::Pairing::none;
  return spec;
}

/// The first so many of n runs succeeded.
Runs arms(int n, int treatment, int control) {
  std::vector<double> t, c;
  for (int i = 0; i < n; ++i) t.push_back(i < treatment ? 1 : 0), c.push_back(i < control ? 1 : 0);
  Runs runs;
  runs.add_all({{"arm", "t"}}, t);
  runs.add_all({{"arm", "c"}}, c);
  return runs;
}

}  // namespace

TEST_CASE("unpaired outcomes are compared by Fisher's test and Newcombe's interval") {
  const HypothesisResult r = judge_one(outcomes(20), compare(Direction::greater), arms(20, 17, 8));
  CHECK(r.verdict == Verdict::supported);
  CHECK(*r.effect == Approx(0.45));
  CHECK(*r.p == Approx(stats::fisher_exact({17, 20}, {8, 20})->p.greater));
  const stats::Interval own = stats::interval(*stats::share_difference({17, 20}, {8, 20}), r.level);
  CHECK(*r.low == Approx(*own.low));
  CHECK(*r.high == Approx(*own.high));
  CHECK(*r.effect_relative == Approx(17.0 / 8 - 1));
}

TEST_CASE("paired outcomes are compared by McNemar's test") {
  // All successes of the control are the treatment's as well: nine pairs differ, all one way.
  const HypothesisResult r = judge_one(outcomes(20, true), compare(Direction::greater), arms(20, 17, 8));
  CHECK(*r.p == Approx(1.0 / 512));
  CHECK(r.verdict == Verdict::supported);
}

TEST_CASE("arms in which every run succeeds can be shown not to differ by much, and only by enough runs") {
  const auto within = compare(Direction::equal, absolute(0.2));
  CHECK(judge_one(outcomes(30), within, arms(30, 30, 30)).verdict == Verdict::supported);
  const HypothesisResult few = judge_one(outcomes(6), within, arms(6, 6, 6));
  CHECK(few.verdict == Verdict::inconclusive);
  CHECK(few.by_shares == true);
  CHECK((few.low && few.high && *few.low < -0.2));
  CHECK(judge_one(outcomes(30), compare(Direction::different), arms(30, 30, 30)).verdict == Verdict::inconclusive);
}

TEST_CASE("margins of shares are absolute, or relative to the control's") {
  const Runs runs = arms(60, 54, 24);  // 0.9 against 0.4
  CHECK(judge_one(outcomes(60), compare(Direction::greater, absolute(0.3)), runs).verdict == Verdict::supported);
  auto more = compare(Direction::greater, absolute(0.45));
  more.smallest_effect = {kernel::SmallestEffect::Kind::absolute, 0.1};
  CHECK(judge_one(outcomes(60), more, runs).verdict == Verdict::inconclusive);
  const HypothesisResult r = judge_one(outcomes(60), compare(Direction::greater, relative(0.5)), runs);
  CHECK(r.verdict == Verdict::supported);
  CHECK((r.relative_low && *r.relative_low > 0.5));
  CHECK(judge_one(outcomes(60), compare(Direction::not_worse, absolute(0.05)), runs).verdict == Verdict::supported);
}

TEST_CASE("an interval without 0 that the exact test does not bear out concludes nothing, and says why") {
  // Newcombe's upper end is below 0 and Fisher's p above 0.05.
  int found = 0;
  for (int n = 5; n <= 12 && found == 0; ++n)
    for (int t = 0; t < n; ++t) {
      const HypothesisResult r = judge_one(outcomes(n), compare(Direction::less), arms(n, t, n - 1));
      if (r.verdict != Verdict::inconclusive || !r.high || *r.high >= 0) continue;
      ++found;
      CHECK(*r.p > 0.05);
      CHECK(newest_words(r.reason).find("the exact test's p of") != std::string::npos);
    }
  CHECK(found > 0);
}

TEST_CASE("failed runs speak against a verdict on shares, too") {
  kernel::StudySpec spec = outcomes(20);
  spec.design.max_failed = 0.3;
  const auto judged = [&](int failed) {
    Runs runs;
    for (int i = 0; i < 20; ++i) {
      runs.add({{"arm", "t"}}, static_cast<std::uint64_t>(i), i < 15 ? 1 : 0);
      const bool fails = i >= 20 - failed;
      runs.add({{"arm", "c"}}, static_cast<std::uint64_t>(i), fails ? std::nullopt : std::optional(i < 6 ? 1.0 : 0.0),
               fails);
    }
    return judge_one(spec, compare(Direction::greater), runs);
  };
  CHECK(judged(0).verdict == Verdict::supported);
  CHECK(judged(4).verdict == Verdict::inconclusive);  // 15 of 20 against 10 of 20.
  CHECK(newest_words(judged(4).reason).find("with the failed ones ranked worst for the hypothesis") !=
        std::string::npos);
}

TEST_CASE("shares within a run are compared by t, and crossed settings by their means") {
  Runs runs;
  runs.add_all({{"arm", "t"}}, {0.81, 0.83, 0.84, 0.8, 0.82, 0.85});
  runs.add_all({{"arm", "c"}}, {0.7, 0.72, 0.71, 0.73, 0.69, 0.7});
  const HypothesisResult r = judge_one(outcomes(6, true), compare(Direction::greater), runs);
  CHECK(r.verdict == Verdict::supported);
  CHECK(r.df == 5.0);
  CHECK(r.by_shares == false);
  REQUIRE_FALSE(r.warnings.empty());
  CHECK(newest_words(r.warnings[0]).find("is a share within each run") != std::string::npos);
  kernel::StudySpec crossed = outcomes(6, true);
  crossed.factors.push_back(synthetic::factor("n", {"1", "2"}));
  CHECK(&kernel::method_of(crossed, compare(Direction::less)) == &kernel::t_method);
  kernel::Hypothesis every = compare(Direction::less);
  every.over = kernel::Over::every;
  CHECK(&kernel::method_of(crossed, every) == &kernel::share_method);
}

TEST_CASE("a pilot in which every run succeeds is not taken for certainty") {
  kernel::StudySpec spec = outcomes(5);
  spec.design.replicates_min = 3;
  spec.design.replicates_max = 400;
  auto h = compare(Direction::greater, absolute(0));
  h.smallest_effect = {kernel::SmallestEffect::Kind::absolute, 0.3};
  const kernel::Size size = kernel::size_of(spec, h, 1, arms(5, 5, 5).values());
  REQUIRE(size.wanted);
  CHECK(*size.wanted > 10);
}

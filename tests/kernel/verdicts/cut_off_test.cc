// Verdicts on times of which some were cut off: what time-outs say, and that cutting off decides nothing by itself.

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/kernel/verdicts/judging.h"
#include "tests/rounds.h"

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisResult;
using kernel::Verdict;
using synthetic::compare;
using synthetic::judge_one;
using synthetic::relative;
using synthetic::Runs;

namespace {

kernel::StudySpec timed(int replicates, bool paired = true) {
  kernel::StudySpec spec = synthetic::study(replicates);
  spec.metrics[0].type = kernel::MetricType::time;
  spec.metrics[0].censor_right = true;
  if (!paired) spec.design.pairing = kernel::Pairing::none;
  return spec;
}

/// Log-normal times around `t` and `c`; what takes longer than the limit is cut off by it.
Runs limited(stats::Xoshiro& random, int n, double t, double c, double limit, bool told = false) {
  Runs runs;
  for (int i = 1; i <= n; ++i) {
    for (const auto& [arm, centre] : {std::pair{"t", t}, std::pair{"c", c}}) {
      const double time = centre * std::exp(0.4 * random.normal());
      const auto seed = static_cast<std::uint64_t>(i);
      if (time < limit)
        runs.add({{"arm", arm}}, seed, time);
      else
        runs.add_cut({{"arm", arm}}, seed, told ? std::optional(limit) : std::nullopt);
    }
  }
  return runs;
}

}  // namespace

TEST_CASE("a slow arm cut by time-outs is not concluded from its survivors") {
  // Those that ended within 10 are faster than the control's; a third of the treatment's did not.
  Runs runs;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    runs.add({{"arm", "c"}}, seed, 8 + 0.1 * static_cast<double>(seed % 5));
    if (seed % 3 == 0)
      runs.add_cut({{"arm", "t"}}, seed, std::nullopt);
    else
      runs.add({{"arm", "t"}}, seed, 7.8 + 0.1 * static_cast<double>(seed % 4));
  }
  const HypothesisResult r = judge_one(timed(12), compare(Direction::less), runs);
  CHECK(r.verdict == Verdict::inconclusive);
  CHECK(r.failed == std::array<int, 2>{0, 0});
  CHECK(r.n == std::array<int, 2>{12, 12});
  // Where the metric is not declared so, they failed, and are too many.
  kernel::StudySpec failing = timed(12);
  failing.metrics[0].censor_right = false;
  const HypothesisResult f = judge_one(failing, compare(Direction::less), runs);
  CHECK(f.verdict == Verdict::inconclusive);
  CHECK(f.failed[0] == 4);
}

TEST_CASE("ranks with censoring show which arm takes longer, told how long or not") {
  for (const bool told : {false, true})
    for (const bool paired : {false, true}) {
      stats::Xoshiro random(7);
      const Runs runs = limited(random, 20, 14, 5, 15, told);
      CAPTURE(told, paired);
      const HypothesisResult more = judge_one(timed(20, paired), compare(Direction::greater), runs);
      CHECK(more.verdict == Verdict::supported);
      CHECK(*more.effect > 3);
      CHECK(*more.low > 0);
      CHECK_FALSE(more.bca_low);
      CHECK(judge_one(timed(20, paired), compare(Direction::less), runs).verdict == Verdict::refuted);
      CHECK(judge_one(timed(20, paired), compare(Direction::greater, relative(0.5)), runs).verdict ==
            Verdict::supported);
      // The mean of times that were cut off is no mean.
      kernel::StudySpec spec = timed(20, paired);
      Hypothesis by_means = compare(Direction::greater);
      by_means.method = kernel::Method::t;
      CHECK(judge_one(spec, by_means, runs).verdict == Verdict::inconclusive);
    }
}

TEST_CASE("where every run was cut off, nothing is said, and in numbers") {
  Runs runs;
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const char* arm : {"t", "c"}) runs.add_cut({{"arm", arm}}, seed, std::nullopt);
  for (const Direction direction : {Direction::less, Direction::different}) {
    const HypothesisResult r = judge_one(timed(8), compare(direction), runs);
    CHECK(r.verdict == Verdict::inconclusive);
    CHECK(newest_words(r.reason).find("every run was cut off") != std::string::npos);
    CHECK((!r.effect || std::isfinite(*r.effect)));
  }
}

TEST_CASE("an arm that never ends is at least so much longer") {
  Runs runs;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    runs.add({{"arm", "c"}}, seed, 4 + 0.1 * static_cast<double>(seed));
    runs.add_cut({{"arm", "t"}}, seed, 60);
  }
  const HypothesisResult r = judge_one(timed(8), compare(Direction::greater), runs);
  CHECK(r.verdict == Verdict::supported);
  CHECK(*r.effect > 55);
  CHECK(*r.low > 50);
  CHECK_FALSE(r.high);
  const bool said = std::any_of(r.warnings.begin(), r.warnings.end(), [](const kernel::Reason& w) {
    return newest_words(w).find("the interval is open on one side") != std::string::npos;
  });
  CHECK(said);
}

TEST_CASE("cutting both arms off at one limit supports nothing by itself") {
  // Treatment and control are alike but for the factor that the margin names: the edge of the hypothesis.
  stats::Xoshiro random(11);
  constexpr int studies = tests::rounds(500);
  for (const bool paired : {true, false}) {
    for (const double margin : {0.0, 0.5}) {
      int less = 0, greater = 0;
      for (int i = 0; i < studies; ++i) {
        const Runs faster = limited(random, 8, 10 * (1 - margin), 10, 11);
        less += judge_one(timed(8, paired), compare(Direction::less, relative(margin)), faster).verdict ==
                        Verdict::supported
                    ? 1
                    : 0;
        const Runs slower = limited(random, 8, 10 * (1 + margin), 10, 11);
        greater += judge_one(timed(8, paired), compare(Direction::greater, relative(margin)), slower).verdict ==
                           Verdict::supported
                       ? 1
                       : 0;
      }
      const double allowed = 0.05 * studies + 3 * std::sqrt(0.05 * 0.95 * studies);
      CAPTURE(paired, margin);
      CHECK(less <= allowed);
      CHECK(greater <= allowed);
      CHECK(less + greater > 0);
    }
  }
}

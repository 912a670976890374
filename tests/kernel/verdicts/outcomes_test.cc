// Verdicts that rest on more than the numbers of one metric: what a hypothesis requires, and runs that failed.

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/kernel/verdicts/judging.h"

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisResult;
using kernel::Verdict;
using synthetic::absolute;
using synthetic::compare;
using synthetic::judge_one;
using synthetic::Runs;

namespace {

/// t is 2 less than c in y; in z it is `worse` more, with the same spread.
HypothesisResult judge_required(double worse, kernel::Margin margin, bool z_fails = false) {
  kernel::StudySpec spec = synthetic::study(12);
  kernel::Metric z = spec.metrics.front();
  z.name = "z";
  z.unit = "MB";
  z.primary = false;
  spec.metrics.push_back(z);
  Hypothesis h = compare(Direction::less, absolute(1));
  h.requirements = {{"z", Direction::not_worse, margin}};
  stats::Xoshiro random(5);
  Runs y = synthetic::two_arms(random, 12, 8, 10, 0.5);
  Runs of_z = synthetic::two_arms(random, 12, 20 + worse, 20, 0.5);
  if (z_fails) of_z.add({{"arm", "t"}}, 99, std::nullopt);
  const kernel::Estimate e =
      kernel::estimate_whole(spec, h, [&](const std::string& metric) -> std::span<const kernel::RunValue> {
        return metric == "z" ? of_z.values() : y.values();
      });
  return kernel::judge_batch(spec, std::span(&h, 1), 1, std::span(&e, 1)).front();
}

}  // namespace

TEST_CASE("a hypothesis holds only where all that it requires holds too") {
  const HypothesisResult holds = judge_required(0, absolute(2));
  CHECK(holds.verdict == Verdict::supported);
  REQUIRE(holds.requirements.size() == 1);
  CHECK(holds.requirements[0].metric == "z");
  CHECK(holds.requirements[0].verdict == Verdict::supported);
  CHECK(*holds.requirements[0].high < 2);
  CHECK(newest_words(holds.reason).find(" Required of z: The 90 % interval") != std::string::npos);
  // The effect is that of its own test, whatever is required beside it.
  CHECK(*holds.effect < -1);

  // Not known to be worse, nor known not to be.
  const HypothesisResult open = judge_required(1.95, absolute(2));
  CHECK(open.verdict == Verdict::inconclusive);
  CHECK(open.requirements[0].verdict == Verdict::inconclusive);
  CHECK(*open.p == *open.requirements[0].p);
  CHECK(*open.p > 0.05);

  const HypothesisResult broken = judge_required(6, absolute(2));
  CHECK(broken.verdict == Verdict::refuted);
  CHECK(broken.requirements[0].verdict == Verdict::refuted);
  // Each of the two parts refutes at half the level: the other's interval is none that refutes.
  CHECK(broken.requirements[0].level == Approx(1 - 2 * 0.05 / 2));
  CHECK(broken.level == Approx(0.9));

  const HypothesisResult unmeasured = judge_required(0, absolute(2), true);
  CHECK(unmeasured.verdict == Verdict::inconclusive);
  CHECK(newest_words(unmeasured.reason).find("required metric z: 1 run has no finite value") != std::string::npos);
}

TEST_CASE("what a hypothesis requires is never passed over") {
  kernel::StudySpec spec = synthetic::study(12);
  Hypothesis h = compare(Direction::less);
  h.requirements = {{"y", Direction::not_worse, absolute(1)}};
  stats::Xoshiro random(5);
  const HypothesisResult r = judge_one(spec, h, synthetic::two_arms(random, 12, 8, 10, 0.5));
  CHECK(r.verdict == Verdict::inconclusive);
  CHECK(newest_words(r.reason) == "Not judged: its required metric was not measured.");
}

TEST_CASE("requirements cost no false support: a true difference does not carry an absent one") {
  int supported = 0;
  constexpr int studies = 1000;
  kernel::StudySpec spec = synthetic::study(8);
  Hypothesis h = compare(Direction::less);
  kernel::Metric z = spec.metrics.front();
  z.name = "z";
  spec.metrics.push_back(z);
  h.requirements = {{"z", Direction::not_worse, absolute(1)}};
  stats::Xoshiro random(77);
  for (int i = 0; i < studies; ++i) {
    const Runs y = synthetic::two_arms(random, 8, 5, 10, 1);
    const Runs at_margin = synthetic::two_arms(random, 8, 21, 20, 1);
    const kernel::Estimate e =
        kernel::estimate_whole(spec, h, [&](const std::string& metric) -> std::span<const kernel::RunValue> {
          return metric == "z" ? at_margin.values() : y.values();
        });
    supported += kernel::judge_batch(spec, std::span(&h, 1), 1, std::span(&e, 1)).front().verdict == Verdict::supported;
  }
  // 5 % and three standard errors of the simulation.
  CHECK(supported <= 0.05 * studies + 3 * std::sqrt(0.05 * 0.95 * studies));
  CHECK(supported >= 0.05 * studies - 3 * std::sqrt(0.05 * 0.95 * studies));
}

namespace {

/// 20 pairs of a design that lets a fifth fail; t is `less` below c; in the arms named the first runs failed.
HypothesisResult judge_failing(double less, int treatment, int control, Direction direction = Direction::less,
                               kernel::Pairing pairing = kernel::Pairing::seed) {
  kernel::StudySpec spec = synthetic::study(20);
  spec.design.max_failed = 0.2;
  spec.design.pairing = pairing;
  stats::Xoshiro random(11);
  Runs runs;
  for (int i = 0; i < 20; ++i) {
    const auto add = [&](const char* arm, double value, bool failed) {
      runs.add({{"arm", arm}}, static_cast<std::uint64_t>(i), failed ? std::nullopt : std::optional(value), failed);
    };
    add("t", 10 - less + random.normal(), i < treatment);
    add("c", 10 + random.normal(), i < control);
  }
  const std::optional<kernel::Margin> margin =
      direction == Direction::equal ? std::optional(absolute(1.5)) : std::nullopt;
  Hypothesis h = compare(direction, margin);
  h.smallest_effect = {kernel::SmallestEffect::Kind::absolute, 1.5};
  return judge_one(spec, h, runs);
}

}  // namespace

TEST_CASE("a verdict survives a few failed runs ranked worst for it, or is none") {
  for (const auto pairing : {kernel::Pairing::seed, kernel::Pairing::none}) {
    CHECK(judge_failing(3, 0, 0, Direction::less, pairing).verdict == Verdict::supported);
    const HypothesisResult one = judge_failing(3, 1, 1, Direction::less, pairing);
    CHECK(one.verdict == Verdict::supported);
    CHECK(one.failed == std::array<int, 2>{1, 1});
    REQUIRE(one.warnings.size() == 1);
    CHECK(newest_words(one.warnings[0])
              .find("1 of 20 treatment runs and 1 of 20 control runs failed. Effect and interval are of the "
                    "other runs") != std::string::npos);
    // Failed controls are no better: it may be what makes the control slow that kills it.
    CHECK(*judge_failing(3, 0, 4, Direction::less, pairing).p > *judge_failing(3, 0, 0, Direction::less, pairing).p);
    CHECK(*judge_failing(3, 4, 0, Direction::less, pairing).p > *judge_failing(3, 0, 0, Direction::less, pairing).p);

    // Clear among the survivors only.
    const HypothesisResult weak = judge_failing(0.9, 4, 0, Direction::less, pairing);
    CHECK(weak.verdict == Verdict::inconclusive);
    CHECK(*weak.high < 0);
    CHECK(newest_words(weak.reason)
              .find("with the failed ones ranked worst for the hypothesis (less than the control) it is") !=
          std::string::npos);
    CHECK(newest_words(weak.reason).starts_with("Runs failed: "));

    // A refutation must hold with the failed ones ranked best for what it refutes.
    CHECK(judge_failing(-3, 0, 0, Direction::less, pairing).verdict == Verdict::refuted);
    CHECK(judge_failing(-3, 1, 0, Direction::less, pairing).verdict == Verdict::refuted);
    CHECK(judge_failing(0, 0, 0, Direction::less, pairing).verdict == Verdict::no_relevant_effect);
    const HypothesisResult open = judge_failing(0, 4, 0, Direction::less, pairing);
    CHECK(open.verdict == Verdict::inconclusive);
    CHECK(newest_words(open.reason).find("with the failed ones ranked best for it, p is") != std::string::npos);

    // Nobody knows where a failed run would have been: equality is shown by all but a few.
    CHECK(judge_failing(0, 0, 0, Direction::equal, pairing).verdict == Verdict::supported);
    CHECK(judge_failing(0, 4, 4, Direction::equal, pairing).verdict == Verdict::inconclusive);
  }
  CHECK(newest_words(judge_failing(3, 5, 0).reason)
            .find("5 of 20 treatment runs failed, more than `max_failed` (0.2) allows") != std::string::npos);
}

TEST_CASE("an arm whose slowest runs time out is not concluded from its survivors") {
  constexpr int studies = 1500;
  kernel::StudySpec spec = synthetic::study(20);
  spec.design.max_failed = 0.5;
  stats::Xoshiro random(2024);
  int supported = 0, of_survivors = 0;
  for (int i = 0; i < studies; ++i) {
    Runs runs, survivors;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const double t = std::exp(random.normal()), c = std::exp(random.normal());
      const bool timed_out = t > std::exp(1.2816);  // the slowest tenth
      runs.add({{"arm", "t"}}, seed, timed_out ? std::nullopt : std::optional(t), timed_out);
      if (!timed_out) survivors.add({{"arm", "t"}}, seed, t);
      for (Runs* all : {&runs, &survivors}) all->add({{"arm", "c"}}, seed, c);
    }
    supported += judge_one(spec, compare(Direction::less), runs).verdict == Verdict::supported;
    of_survivors += judge_one(spec, compare(Direction::less), survivors).verdict == Verdict::supported;
  }
  // 5 % and three standard errors of the simulation; the survivors alone mislead two or three times as often.
  CHECK(supported <= 0.05 * studies + 3 * std::sqrt(0.05 * 0.95 * studies));
  CHECK(of_survivors > 0.10 * studies);
}

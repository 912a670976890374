// What treatment and control differ by, from one level of a factor to another: interactions and crossovers.

#include <cmath>

#include <catch2/catch.hpp>

#include "kernel/domain/cells.h"
#include "kernel/sizing/sizing.h"
#include "stats/basics/contrast.h"
#include "tests/kernel/verdicts/judging.h"
#include "tests/rounds.h"

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisResult;
using kernel::Pairing;
using kernel::Verdict;
using synthetic::absolute;
using synthetic::compare;
using synthetic::judge_one;
using synthetic::relative;
using synthetic::Runs;

namespace {

Hypothesis interaction(Direction direction, std::optional<kernel::Margin> margin = {}) {
  Hypothesis h = compare(direction, margin);
  h.kind = kernel::HypothesisKind::interaction;
  h.along = "n";
  h.steps = {"1", "4"};
  return h;
}

Hypothesis crossover(Direction direction) {
  Hypothesis h = compare(direction);
  h.kind = kernel::HypothesisKind::crossover;
  h.along = "n";
  h.steps = {"1", "2", "4"};
  return h;
}

kernel::StudySpec study(int replicates, Pairing pairing = Pairing::seed) {
  kernel::StudySpec spec = synthetic::study(replicates, {synthetic::factor("n", {"1", "2", "4"})});
  spec.design.pairing = pairing;
  return spec;
}

/// Treatment minus control at n = 1, 2, 4; what a seed does to all cells has the standard deviation `shared`.
Runs drawn(stats::Xoshiro& random, int replicates, const std::vector<double>& effects, double sd = 1,
           double shared = 3) {
  std::vector<double> seeds;
  for (int i = 0; i < replicates; ++i) seeds.push_back(shared * random.normal());
  Runs runs;
  const char* const levels[] = {"1", "2", "4"};
  for (std::size_t k = 0; k < effects.size(); ++k)
    for (const char* arm : {"t", "c"}) {
      std::vector<double> values;
      for (const double seed : seeds)
        values.push_back(20 + 5 * static_cast<double>(k) + seed + sd * random.normal() +
                         (*arm == 't' ? effects[k] : 0));
      runs.add_all({{"arm", arm}, {"n", levels[k]}}, values);
    }
  return runs;
}

}  // namespace

TEST_CASE("an interaction takes its two levels of the factor and no other, in both arms") {
  const std::vector<kernel::Cell> cells = kernel::cells_of(study(3), interaction(Direction::greater));
  CHECK(cells.size() == 4);
  for (const kernel::Cell& cell : cells) CHECK(cell.at("n") != "2");
  CHECK(kernel::cells_of(study(3), crossover(Direction::less)).size() == 6);

  // Of a crossed factor, a level whose cells are not all there is left out altogether.
  kernel::StudySpec spec = study(3);
  spec.factors.push_back(synthetic::factor("input", {"x", "y"}));
  spec.excludes.push_back({{"arm", {"t"}}, {"n", {"4"}}, {"input", {"y"}}});
  const std::vector<kernel::Cell> left = kernel::cells_of(spec, interaction(Direction::greater));
  CHECK(left.size() == 4);
  for (const kernel::Cell& cell : left) CHECK(cell.at("input") == "x");
}

TEST_CASE("an interaction is the difference of the differences, with pairs and without") {
  stats::Xoshiro random(7);
  const Runs runs = drawn(random, 20, {1, 50, 6}, 0.5);
  for (const Pairing pairing : {Pairing::seed, Pairing::none}) {
    const kernel::StudySpec spec = study(20, pairing);
    const HypothesisResult r = judge_one(spec, interaction(Direction::greater, absolute(1)), runs);
    CHECK(r.verdict == Verdict::supported);
    // What a seed does to all four cells leaves the difference of differences of a pair, and not that of the means.
    CHECK((*r.se < 0.5) == (pairing == Pairing::seed));
    CHECK(*r.effect == Approx(5).margin(0.6));
    CHECK(*r.low < *r.effect);
    CHECK(*r.effect < *r.high);
    CHECK_FALSE(r.effect_relative);
    CHECK(synthetic::holds(r.reason, "interval of the interaction"));
    CHECK(synthetic::holds(r.reason, "n=1"));
    CHECK(r.n == std::array<int, 2>{40, 40});
  }
}

TEST_CASE("without pairs an interaction has the error of the formula") {
  Runs runs;
  runs.add_all({{"arm", "t"}, {"n", "1"}}, {1, 2, 4});
  runs.add_all({{"arm", "c"}, {"n", "1"}}, {2, 2, 5});
  runs.add_all({{"arm", "t"}, {"n", "4"}}, {9, 12, 10});
  runs.add_all({{"arm", "c"}, {"n", "4"}}, {3, 4, 8});
  const HypothesisResult r = judge_one(study(3, Pairing::none), interaction(Direction::different), runs);
  const auto mean = [](double a, double b, double c) { return (a + b + c) / 3; };
  CHECK(*r.effect == Approx((mean(9, 12, 10) - mean(3, 4, 8)) - (mean(1, 2, 4) - mean(2, 2, 5))));
  double squares = 0;
  for (const auto& cell : {std::vector<double>{1, 2, 4}, {2, 2, 5}, {9, 12, 10}, {3, 4, 8}})
    squares += stats::moments(cell)->variance / 3;
  CHECK(*r.se == Approx(std::sqrt(squares)));
}

TEST_CASE("of logarithms an interaction is a ratio of ratios") {
  kernel::StudySpec spec = study(12);
  spec.metrics.front().scale = kernel::Scale::log;
  stats::Xoshiro random(2);
  Runs runs;
  for (const auto& [n, arm, centre] : {std::tuple{"1", "t", 2.0}, {"1", "c", 4.0}, {"4", "t", 6.0}, {"4", "c", 3.0}}) {
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) values.push_back(centre * std::exp(0.05 * random.normal()));
    runs.add_all({{"arm", arm}, {"n", n}}, values);
  }
  // 6/3 over 2/4.
  const HypothesisResult r = judge_one(spec, interaction(Direction::greater, relative(2)), runs);
  CHECK(r.verdict == Verdict::supported);
  CHECK(*r.effect_relative == Approx(3).epsilon(0.1));
  CHECK(*r.relative_low > 2);
  CHECK_FALSE(synthetic::holds(r.reason, " ms"));
}

TEST_CASE("equal effects at both levels are shown equal, and kept from being called different") {
  const kernel::StudySpec spec = study(8);
  stats::Xoshiro random(19);
  int different = 0, equal = 0;
  constexpr int studies = tests::rounds(1000);
  for (int i = 0; i < studies; ++i) {
    const Runs runs = drawn(random, 8, {2, 0, 2});
    different += judge_one(spec, interaction(Direction::different), runs).verdict == Verdict::supported ? 1 : 0;
    equal += judge_one(spec, interaction(Direction::equal, absolute(6)), runs).verdict == Verdict::supported ? 1 : 0;
  }
  CHECK(different <= studies * 0.05 + 3.3 * std::sqrt(studies * 0.05 * 0.95));
  CHECK(different >= studies * 0.05 - 3.3 * std::sqrt(studies * 0.05 * 0.95));
  CHECK(equal > studies * 0.95);
}

TEST_CASE("an interaction's size buys its power") {
  for (const Pairing pairing : {Pairing::seed, Pairing::none}) {
    kernel::StudySpec spec = study(10, pairing);
    spec.design.replicates_min = 3;
    spec.design.replicates_max = 300;
    Hypothesis h = interaction(Direction::greater);
    h.smallest_effect = {kernel::SmallestEffect::Kind::sd, 1};
    const int n = kernel::size_of(spec, h, 1, {}).record.replicates;
    stats::Xoshiro random(23);
    // Of pairs the unit's sd is that of a seed's difference of differences: 2. Else that of a run, with nothing shared.
    const double effect = pairing == Pairing::seed ? 2 : 1;
    int supported = 0;
    constexpr int studies = tests::rounds(1000);
    for (int i = 0; i < studies; ++i) {
      const Runs runs = drawn(random, n, {0, 0, effect}, 1, pairing == Pairing::seed ? 3 : 0);
      supported += judge_one(spec, h, runs).verdict == Verdict::supported ? 1 : 0;
    }
    CAPTURE(n);
    CHECK(supported > studies * 0.8 - 3.3 * std::sqrt(studies * 0.16));
    CHECK(supported < studies * 0.92);
  }
}

TEST_CASE("a failed run leaves an interaction without a verdict") {
  stats::Xoshiro random(7);
  Runs runs = drawn(random, 20, {1, 0, 9}, 0.5);
  runs.add({{"arm", "t"}, {"n", "4"}}, 99, std::nullopt, true);
  const HypothesisResult r = judge_one(study(20), interaction(Direction::greater), runs);
  CHECK(r.verdict == Verdict::inconclusive);
  CHECK(synthetic::holds(r.reason, "1 of 41 treatment runs failed"));
}

TEST_CASE("a crossover is supported by a level on either side, refuted where every sign is shown, else open") {
  const kernel::StudySpec spec = study(10);
  stats::Xoshiro random(3);
  const Runs crosses = drawn(random, 10, {-4, 0, 5});
  const HypothesisResult rising = judge_one(spec, crossover(Direction::less), crosses);
  CHECK(rising.verdict == Verdict::supported);
  CHECK(synthetic::holds(rising.reason, "At n=1"));
  CHECK(synthetic::holds(rising.reason, "at n=4"));
  CHECK(synthetic::holds(rising.reason, "changes as hypothesised"));
  // The interval shown is the weaker level's, at the level that decided: 1 − 2·0.05/2.
  CHECK(rising.level == Approx(0.95));
  CHECK((*rising.high < 0 || *rising.low > 0));
  CHECK(judge_one(spec, crossover(Direction::different), crosses).verdict == Verdict::supported);
  CHECK(judge_one(spec, crossover(Direction::greater), crosses).verdict != Verdict::supported);

  const Runs above = drawn(random, 10, {3, 4, 5});
  for (const Direction direction : {Direction::less, Direction::greater, Direction::different}) {
    const HypothesisResult r = judge_one(spec, crossover(direction), above);
    CHECK(r.verdict == Verdict::refuted);
    CHECK(synthetic::holds(r.reason, "it does not change as hypothesised"));
  }
  const HypothesisResult open = judge_one(spec, crossover(Direction::less), drawn(random, 10, {-4, -1, 0}));
  CHECK(open.verdict == Verdict::inconclusive);
  CHECK(synthetic::holds(open.reason, "the runs show neither that the sign changes"));
}

TEST_CASE("without a change of sign a crossover is not supported more often than its level, nor refuted with one") {
  const kernel::StudySpec spec = study(6);
  constexpr int studies = tests::rounds(1500);
  const double bound = studies * 0.05 + 3.3 * std::sqrt(studies * 0.05 * 0.95);
  for (const Direction direction : {Direction::less, Direction::different}) {
    stats::Xoshiro random(29);
    int supported = 0, refuted = 0;
    for (int i = 0; i < studies; ++i) {
      // The least favourable truths: one end far off, the others at zero; and a change that is hardly one.
      supported += judge_one(spec, crossover(direction), drawn(random, 6, {-9, 0, 0})).verdict == Verdict::supported;
      refuted += judge_one(spec, crossover(direction), drawn(random, 6, {-0.01, 9, 9})).verdict == Verdict::refuted;
    }
    CHECK(supported <= bound);
    CHECK(refuted <= bound);
  }
}

TEST_CASE("a crossover's size buys its power at two levels") {
  kernel::StudySpec spec = study(10);
  spec.design.replicates_min = 3;
  spec.design.replicates_max = 300;
  Hypothesis h = crossover(Direction::less);
  h.smallest_effect = {kernel::SmallestEffect::Kind::sd, 1};
  const int n = kernel::size_of(spec, h, 1, {}).record.replicates;
  stats::Xoshiro random(31);
  int supported = 0;
  constexpr int studies = tests::rounds(1000);
  const double one = std::sqrt(2.0);
  for (int i = 0; i < studies; ++i)
    supported += judge_one(spec, h, drawn(random, n, {-one, 0, one})).verdict == Verdict::supported;
  CAPTURE(n);
  CHECK(supported > studies * 0.8 - 3.3 * std::sqrt(studies * 0.16));
}

TEST_CASE("a crossover counts failed runs at the levels where they failed") {
  kernel::StudySpec spec = study(12);
  spec.design.max_failed = 0.5;
  stats::Xoshiro random(3);
  const auto judged = [&](int failures) {
    Runs runs = drawn(random, 12, {-4, 0, 5}, 0.5, 0);
    for (int i = 0; i < failures; ++i) {
      const auto seed = static_cast<std::uint64_t>(100 + i);
      runs.add({{"arm", "t"}, {"n", "4"}}, seed, std::nullopt, true);
      runs.add({{"arm", "c"}, {"n", "4"}}, seed, 30.0);
    }
    return judge_one(spec, crossover(Direction::less), runs).verdict;
  };
  CHECK(judged(0) == Verdict::supported);
  CHECK(judged(1) == Verdict::supported);
  CHECK(judged(9) == Verdict::inconclusive);
}

TEST_CASE("deterministic metrics cross or do not, without error") {
  kernel::StudySpec spec = study(1);
  spec.metrics.front().deterministic = true;
  Runs runs;
  for (const auto& [n, t] : {std::pair{"1", 4.0}, {"2", 5.0}, {"4", 9.0}}) {
    runs.add({{"arm", "t"}, {"n", n}}, 1, t);
    runs.add({{"arm", "c"}, {"n", n}}, 1, 5.0);
  }
  CHECK(judge_one(spec, crossover(Direction::less), runs).verdict == Verdict::supported);
  CHECK(judge_one(spec, crossover(Direction::greater), runs).verdict == Verdict::refuted);
  const HypothesisResult r = judge_one(spec, interaction(Direction::equal, absolute(1)), runs);
  CHECK(r.verdict == Verdict::refuted);
  CHECK(*r.effect == 5);
}

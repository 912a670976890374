// Verdicts of whole batches.

#include "kernel/verdicts/judge.h"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "kernel/verdicts/verdict_reason.h"
#include "tests/cost.h"
#include "tests/kernel/verdicts/judging.h"

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisResult;
using kernel::Margin;
using kernel::SmallestEffect;
using kernel::Verdict;
using synthetic::absolute;
using synthetic::compare;
using synthetic::judge_one;
using synthetic::relative;
using synthetic::Runs;

namespace {

/// Is every point of the interval below (above) the limit? Missing ends are not.
bool below(std::optional<double> high, double limit) {
  return high && *high < limit;
}
bool above(std::optional<double> low, double limit) {
  return low && *low > limit;
}

struct Ends {
  std::optional<double> low, high;
};

/// The verdict that a reader gets by holding the shown interval against the region.
Verdict read_off(const Hypothesis& h, const Ends& i, double margin, double smallest) {
  switch (h.direction) {
    case Direction::less:
      if (below(i.high, -margin)) return Verdict::supported;
      return above(i.low, -margin - smallest) ? Verdict::refuted : Verdict::inconclusive;
    case Direction::greater:
      if (above(i.low, margin)) return Verdict::supported;
      return below(i.high, margin + smallest) ? Verdict::refuted : Verdict::inconclusive;
    case Direction::different:
      if (below(i.high, -margin) || above(i.low, margin)) return Verdict::supported;
      return above(i.low, -margin - smallest) && below(i.high, margin + smallest) ? Verdict::refuted
                                                                                  : Verdict::inconclusive;
    case Direction::equal:
      if (above(i.low, -margin) && below(i.high, margin)) return Verdict::supported;
      return above(i.low, margin) || below(i.high, -margin) ? Verdict::refuted : Verdict::inconclusive;
    case Direction::not_worse:
      break;
  }
  if (below(i.high, margin)) return Verdict::supported;  // y is to be minimised
  return above(i.low, margin) ? Verdict::refuted : Verdict::inconclusive;
}

void demand_finite(const HypothesisResult& r) {
  int place = 0;
  for (const std::optional<double>& v : {r.effect, r.effect_relative, r.low, r.high, r.relative_low, r.relative_high,
                                         r.se, r.df, r.p, r.p_corrected, r.bca_low, r.bca_high}) {
    CAPTURE(place++, newest_words(r.reason));
    if (v) CHECK(std::isfinite(*v));
  }
  if (r.power) CHECK(std::isfinite(*r.power));
  CHECK(std::isfinite(r.level));
  CHECK(newest_words(r.reason).find("nan") == std::string::npos);
  CHECK_FALSE(r.reason.empty());
  if (r.low && r.high && r.effect) {
    CHECK(*r.low <= *r.effect);
    CHECK(*r.high >= *r.effect);
  }
}

}  // namespace

TEST_CASE("the shown interval and the verdict always agree, for every direction, margin and pairing") {
  stats::Xoshiro random(11);
  int counts[3] = {0, 0, 0};
  for (const kernel::Pairing pairing : {kernel::Pairing::seed, kernel::Pairing::none}) {
    for (const Direction direction :
         {Direction::less, Direction::greater, Direction::different, Direction::equal, Direction::not_worse}) {
      for (const Margin::Kind kind : {Margin::Kind::absolute, Margin::Kind::relative}) {
        for (int repeat = 0; repeat < 60; ++repeat) {
          auto spec = synthetic::study(8);
          spec.design.pairing = pairing;
          const double margin = repeat % 3 == 0 && direction != Direction::equal ? 0 : 0.2;
          Hypothesis h = compare(direction, Margin{kind, margin});
          h.smallest_effect = {
              kind == Margin::Kind::relative ? SmallestEffect::Kind::relative : SmallestEffect::Kind::absolute, 0.3};
          const double c = kind == Margin::Kind::relative ? 10 : 1, unit = kind == Margin::Kind::relative ? 10 : 1;
          const double t = c + unit * (random.uniform() * 1.6 - 0.8);
          const Runs runs = synthetic::two_arms(random, 8, t, c, unit * 0.5 * random.uniform(), unit * 0.1);
          const HypothesisResult r = judge_one(spec, h, runs);
          demand_finite(r);
          // What decided a refutation of equality is the 1 − alpha interval, and that is the one shown.
          const Ends shown =
              kind == Margin::Kind::relative ? Ends{r.relative_low, r.relative_high} : Ends{r.low, r.high};
          CAPTURE(static_cast<int>(direction), static_cast<int>(kind), margin, repeat, newest_words(r.reason));
          if (direction == Direction::equal && r.verdict == Verdict::inconclusive) {
            CHECK(read_off(h, shown, margin, 0.3) != Verdict::supported);
          } else {
            CHECK(read_off(h, shown, margin, 0.3) == r.verdict);
          }
          ++counts[static_cast<int>(r.verdict)];
        }
      }
    }
  }
  for (const int count : counts) CHECK(count > 100);
}

TEST_CASE("Holm over the batch decides, and each verdict shows the level that decided it") {
  auto spec = synthetic::study(10, {synthetic::factor("x", {"1", "2", "3"})});
  std::vector<Hypothesis> batch;
  std::vector<std::vector<kernel::RunValue>> values;
  std::vector<Runs> keep(3);
  const double shift[3] = {-5, -0.9, 0};
  stats::Xoshiro random(4);
  for (int i = 0; i < 3; ++i) {
    Hypothesis h = compare(Direction::less);
    h.id = kernel::HypothesisId("H" + std::to_string(i + 1));
    h.where = {{"x", std::to_string(i + 1)}};
    batch.push_back(h);
    std::vector<double> t, c;
    for (int k = 0; k < 10; ++k) {
      c.push_back(10 + random.normal());
      t.push_back(c.back() + shift[i] + random.normal());
    }
    keep[static_cast<std::size_t>(i)].add_all({{"arm", "t"}, {"x", std::to_string(i + 1)}}, t);
    keep[static_cast<std::size_t>(i)].add_all({{"arm", "c"}, {"x", std::to_string(i + 1)}}, c);
    values.push_back(keep[static_cast<std::size_t>(i)].values());
  }
  const auto results = kernel::judge_batch(spec, batch, 6, values);
  const double share = 0.05 * 3 / 6;
  CHECK(results[0].verdict == Verdict::supported);
  CHECK(results[0].level == Approx(1 - 2 * share / 3));
  CHECK(*results[0].p_corrected == Approx(*results[0].p * 6));
  for (const HypothesisResult& r : results) {
    REQUIRE(r.p_corrected);
    CHECK((*r.p_corrected <= 0.05) == (r.verdict == Verdict::supported));
  }
  // The second is tested at the next step, and the third, which is refuted, at the family's level.
  CHECK(results[1].verdict == Verdict::supported);
  CHECK(results[1].level == Approx(1 - 2 * share / 2));
  CHECK(results[2].verdict == Verdict::refuted);
  CHECK(results[2].level == Approx(1 - 2 * 0.05 / 6));
}

TEST_CASE("after Holm stopped, every hypothesis is shown at the level where it stopped") {
  const auto spec = synthetic::study(4);
  stats::Xoshiro random(3);
  std::vector<Hypothesis> batch(3, compare(Direction::less));
  for (Hypothesis& h : batch) h.smallest_effect.value = 3;
  const Runs strong = synthetic::two_arms(random, 4, 0, 50, 1);
  Runs weak;  // differences -2 -3 0 -1.5: p = 0.04 one-sided
  weak.add_all({{"arm", "t"}}, {1, 2, 4, 3});
  weak.add_all({{"arm", "c"}}, {3, 5, 4, 4.5});
  const std::vector<std::vector<kernel::RunValue>> values{weak.values(), strong.values(), weak.values()};
  batch[0].smallest_effect.value = batch[2].smallest_effect.value = 0.1;
  const auto results = kernel::judge_batch(spec, batch, 3, values);
  CHECK(results[1].verdict == Verdict::supported);
  CHECK(results[1].level == Approx(1 - 2 * 0.05 / 3));
  for (const std::size_t i : {0U, 2U}) {
    CHECK(results[i].verdict == Verdict::inconclusive);
    CHECK(*results[i].p < 0.05);
    CHECK(results[i].level == Approx(1 - 2 * 0.05 / 2));
    CHECK(*results[i].p_corrected == Approx(2 * *results[i].p));
  }
}

TEST_CASE("a hypothesis with failed runs keeps its slot at p = 1 and reports its survivors") {
  auto spec = synthetic::study(6);
  stats::Xoshiro random(8);
  Runs good = synthetic::two_arms(random, 6, 0, 20, 1);
  Runs bad = synthetic::two_arms(random, 6, 0, 20, 1);
  bad.add({{"arm", "t"}}, 99, std::nullopt, true);
  std::vector<Hypothesis> batch{compare(Direction::less), compare(Direction::less)};
  batch[1].id = "H2";
  const std::vector<std::vector<kernel::RunValue>> values{good.values(), bad.values()};
  const auto results = kernel::judge_batch(spec, batch, 2, values);
  CHECK(results[0].verdict == Verdict::supported);
  CHECK(results[0].level == Approx(1 - 2 * 0.025));
  CHECK(results[1].verdict == Verdict::inconclusive);
  CHECK(results[1].failed == std::array<int, 2>{1, 0});
  CHECK(newest_words(results[1].reason).find("failed") != std::string::npos);
  CHECK(results[1].effect);
  CHECK(results[1].low);
  CHECK(results[1].p);
  CHECK_FALSE(results[1].p_corrected);
  bool labelled = false;
  for (const std::string& w : kernel::newest_words(results[1].warnings))
    labelled = labelled || w.find("surviving") != std::string::npos;
  CHECK(labelled);
}

TEST_CASE("no effect is refuted by an interval that excludes the smallest effect, and only then") {
  stats::Xoshiro random(21);
  Hypothesis h = compare(Direction::less);
  auto spec = synthetic::study(40);
  const HypothesisResult many = judge_one(spec, h, synthetic::two_arms(random, 40, 10, 10, 1));
  CHECK(many.verdict == Verdict::refuted);
  Runs three;
  three.add_all({{"arm", "t"}}, {9, 9.4, 10.1});
  three.add_all({{"arm", "c"}}, {10, 10.2, 10});
  const HypothesisResult few = judge_one(synthetic::study(3), h, three);
  CHECK(few.verdict == Verdict::inconclusive);
  CHECK(newest_words(many.reason).find("excludes every effect") != std::string::npos);
  const HypothesisResult opposite = judge_one(spec, h, synthetic::two_arms(random, 40, 20, 10, 1));
  CHECK(opposite.verdict == Verdict::refuted);
  CHECK(newest_words(opposite.reason).find("wholly outside") != std::string::npos);
  CHECK(few.power.value() < 0.8);
  CHECK(many.power.value() > 0.99);
}

TEST_CASE("a metric to be maximised is not worse when it is not much less") {
  auto spec = synthetic::study(12);
  spec.metrics[0].goal = kernel::Goal::maximize;
  stats::Xoshiro random(2);
  const Hypothesis h = compare(Direction::not_worse, relative(0.1));
  CHECK(judge_one(spec, h, synthetic::two_arms(random, 12, 98, 100, 1)).verdict == Verdict::supported);
  CHECK(judge_one(spec, h, synthetic::two_arms(random, 12, 120, 100, 1)).verdict == Verdict::supported);
  CHECK(judge_one(spec, h, synthetic::two_arms(random, 12, 80, 100, 1)).verdict == Verdict::refuted);
}

TEST_CASE("around a negative control, equal and not worse keep their meaning") {
  auto spec = synthetic::study(12);
  stats::Xoshiro random(2);
  CHECK(judge_one(spec, compare(Direction::equal, relative(0.1)), synthetic::two_arms(random, 12, -99, -100, 1))
            .verdict == Verdict::supported);
  CHECK(judge_one(spec, compare(Direction::equal, relative(0.1)), synthetic::two_arms(random, 12, -80, -100, 1))
            .verdict == Verdict::refuted);
  CHECK(judge_one(spec, compare(Direction::not_worse, relative(0.1)), synthetic::two_arms(random, 12, -95, -100, 1))
            .verdict == Verdict::supported);
}

TEST_CASE("a refutation in one setting refutes what must hold in every one, and is the one shown") {
  auto spec = synthetic::study(10, {synthetic::factor("data", {"a", "b"})});
  Hypothesis h = compare(Direction::less);
  h.over = kernel::Over::every;
  stats::Xoshiro random(6);
  Runs runs;
  for (const auto& [data, shift] : {std::pair{"a", -10.0}, std::pair{"b", 10.0}}) {
    std::vector<double> t, c;
    for (int k = 0; k < 10; ++k) {
      c.push_back(20 + random.normal());
      t.push_back(20 + shift + random.normal());
    }
    runs.add_all({{"arm", "t"}, {"data", data}}, t);
    runs.add_all({{"arm", "c"}, {"data", data}}, c);
  }
  const HypothesisResult r = judge_one(spec, h, runs);
  CHECK(r.verdict == Verdict::refuted);
  CHECK(*r.effect > 8);
  CHECK(r.level == Approx(1 - 2 * 0.05 / 2));
  CHECK(newest_words(r.reason).find("data=b") != std::string::npos);
}

TEST_CASE("exact comparisons have no p, and their verdict says on which inputs") {
  auto spec = synthetic::study(3);
  spec.metrics[0].deterministic = true;
  Runs runs;
  runs.add_all({{"arm", "t"}}, {1, 1, 1});
  runs.add_all({{"arm", "c"}}, {2, 2, 2});
  const HypothesisResult r = judge_one(spec, compare(Direction::less), runs);
  CHECK(r.verdict == Verdict::supported);
  CHECK_FALSE(r.p);
  CHECK(r.low == -1);
  CHECK(r.high == -1);
  CHECK(newest_words(r.reason).find("exactly these inputs") != std::string::npos);
  CHECK(judge_one(spec, compare(Direction::greater), runs).verdict == Verdict::refuted);
}

TEST_CASE("the region is put into words") {
  const auto spec = synthetic::study(3);
  CHECK(kernel::region_words(spec, compare(Direction::less, relative(0.5)), kernel::wording_version) ==
        "more than 50 % less than the control");
  CHECK(kernel::region_words(spec, compare(Direction::greater), kernel::wording_version) == "greater than the control");
  CHECK(kernel::region_words(spec, compare(Direction::different), kernel::wording_version) ==
        "different from the control");
  CHECK(kernel::region_words(spec, compare(Direction::not_worse, absolute(3)), kernel::wording_version) ==
        "not worse than the control by 3 ms");
  CHECK(kernel::region_words(spec, synthetic::slope(Direction::equal, 2, absolute(0.25)), kernel::wording_version) ==
        "within 0.25 of 2");
}

TEST_CASE("degenerate values give a typed answer for every direction, never NaN") {
  const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<std::vector<double>> samples{{0, 0, 0},
                                                 {1, 1, 1},
                                                 {-1, 0, 1},
                                                 {huge, -huge, huge},
                                                 {tiny, 0, tiny},
                                                 {1e-300, 2e-300, 3e-300},
                                                 {1e200, 2e200, 3e200},
                                                 {5, 5, 5 + 1e-15},
                                                 {-3, -2, -4}};
  for (const kernel::Pairing pairing : {kernel::Pairing::seed, kernel::Pairing::none}) {
    for (const kernel::Scale scale : {kernel::Scale::linear, kernel::Scale::log}) {
      for (const Direction direction :
           {Direction::less, Direction::greater, Direction::different, Direction::equal, Direction::not_worse}) {
        for (const Margin& margin : {absolute(0.1), relative(0.1), relative(1.5)}) {
          for (const auto& t : samples) {
            for (const auto& c : samples) {
              auto spec = synthetic::study(3);
              spec.design.pairing = pairing;
              spec.metrics[0].scale = scale;
              Runs runs;
              runs.add_all({{"arm", "t"}}, t);
              runs.add_all({{"arm", "c"}}, c);
              demand_finite(judge_one(spec, compare(direction, margin), runs));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("the time to judge fifty hypotheses over ten thousand runs grows with the runs only") {
  const auto judged = [](const synthetic::Load& load) {
    return kernel::judge_batch(load.spec, load.batch, 50, load.values);
  };
  CHECK(tests::growth(25, synthetic::load, judged) < tests::linear);
  const synthetic::Load load = synthetic::load(100);
  REQUIRE(load.values[0].size() == 10000);
  const auto results = judged(load);
  CHECK(results.size() == 50);
  CHECK(results[1].n == std::array<int, 2>{5000, 5000});
}

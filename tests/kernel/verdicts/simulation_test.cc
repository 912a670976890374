// Error rates of the whole path from runs to verdicts, by simulation with fixed seeds. Bounds are the nominal rate and
// 3.3 standard errors of the simulation (one chance in a thousand, for another seed).

#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>

#include "kernel/sizing/sizing.h"
#include "kernel/verdicts/judge.h"
#include "tests/kernel/inference/synthetic.h"
#include "tests/rounds.h"

using kernel::Direction;
using kernel::Hypothesis;
using kernel::Pairing;
using kernel::SmallestEffect;
using kernel::Verdict;
using synthetic::absolute;
using synthetic::compare;
using synthetic::relative;
using synthetic::Runs;

namespace {

constexpr int studies = tests::rounds(1000);
constexpr double alpha = 0.05;

double bound(double rate, int count) {
  return rate + 3.3 * std::sqrt(rate * (1 - rate) / count);
}

struct Rates {
  double supported = 0, refuted = 0, irrelevant = 0, covered = 0, relatively_covered = 0;
};

/// `truth` draws one study's runs; coverage is of `effect` (and `effect_relative`) by the 90 % interval.
Rates simulate(const kernel::StudySpec& spec, const Hypothesis& h, double effect, double effect_relative,
               const std::function<Runs(stats::Xoshiro&)>& truth) {
  Rates rates;
  stats::Xoshiro random(20240717);
  for (int i = 0; i < studies; ++i) {
    const Runs runs = truth(random);
    const kernel::Estimate e = kernel::estimate(spec, h, runs.values());
    REQUIRE(e.obstacle.empty());
    const Verdict v = kernel::verdict_of(spec.design.rule, e.p, alpha, alpha);
    rates.supported += v == Verdict::supported ? 1.0 / studies : 0;
    rates.refuted += v == Verdict::refuted ? 1.0 / studies : 0;
    rates.irrelevant += v == Verdict::no_relevant_effect ? 1.0 / studies : 0;
    const auto holds = [](const stats::Interval& interval, double value) {
      return (!interval.low || *interval.low <= value) && (!interval.high || *interval.high >= value);
    };
    rates.covered += holds(e.tests[0].interval(0.9), effect) ? 1.0 / studies : 0;
    rates.relatively_covered += holds(e.tests[0].relative_interval(0.9), effect_relative) ? 1.0 / studies : 0;
  }
  return rates;
}

struct Null {
  const char* name;
  Direction direction;
  std::optional<kernel::Margin> margin;
  double t, c;  ///< Means exactly on the boundary.
};

const std::vector<Null> nulls{
    {"less", Direction::less, std::nullopt, 10, 10},
    {"less by a relative margin", Direction::less, relative(0.2), 8, 10},
    {"greater by an absolute margin", Direction::greater, absolute(1.5), 11.5, 10},
    {"different", Direction::different, std::nullopt, 10, 10},
    {"equal, on the upper end", Direction::equal, absolute(2), 12, 10},
    {"equal, on the lower relative end", Direction::equal, relative(0.2), 8, 10},
    {"not worse", Direction::not_worse, relative(0.1), 11, 10},
};

}  // namespace

TEST_CASE(
    "on the boundary at most alpha of studies are supported, at most alpha refuted, and intervals cover at their "
    "level") {
  for (const Pairing pairing : {Pairing::seed, Pairing::none}) {
    for (const Null& null : nulls) {
      for (const int n : {3, 12}) {
        auto spec = synthetic::study(n);
        spec.design.pairing = pairing;
        const Rates rates =
            simulate(spec, compare(null.direction, null.margin), null.t - null.c, null.t / null.c - 1,
                     [&](stats::Xoshiro& random) {
                       return synthetic::two_arms(random, n, null.t, null.c, 1, pairing == Pairing::seed);
                     });
        CAPTURE(null.name, n, static_cast<int>(pairing), rates.supported, rates.covered, rates.relatively_covered);
        CHECK(rates.supported <= bound(alpha, studies));
        CHECK(rates.refuted <= bound(alpha, studies));
        // Welch's approximation covers slightly more than its level at n = 3.
        const double slack = pairing == Pairing::none && n == 3 ? 0.03 : 0;
        CHECK(rates.covered >= 1 - bound(0.1, studies));
        CHECK(rates.covered <= bound(0.9, studies) + slack);
        CHECK(rates.relatively_covered >= 1 - bound(0.1, studies));
        if (null.direction != Direction::equal && n == 12) CHECK(rates.supported > alpha / 2);
      }
    }
  }
}

TEST_CASE("at the smallest effect, at most alpha of studies say wrongly that there is no relevant effect") {
  struct Truth {
    const char* name;
    SmallestEffect smallest;
    double t;
    Direction direction;
  };
  for (const Pairing pairing : {Pairing::seed, Pairing::none})
    for (const Truth& truth : {Truth{"absolute", {SmallestEffect::Kind::absolute, 0.8}, 9.2, Direction::less},
                               Truth{"relative", {SmallestEffect::Kind::relative, 0.1}, 11, Direction::greater},
                               Truth{"either way", {SmallestEffect::Kind::absolute, 1}, 11, Direction::different}})
      for (const int n : {4, 40}) {
        auto spec = synthetic::study(n);
        spec.design.pairing = pairing;
        Hypothesis h = compare(truth.direction);
        h.smallest_effect = truth.smallest;
        const auto at = [&](double t) {
          return simulate(spec, h, 0, 0,
                          [&](stats::Xoshiro& random) { return synthetic::two_arms(random, n, t, 10, 1); });
        };
        CAPTURE(truth.name, n, static_cast<int>(pairing));
        CHECK(at(truth.t).irrelevant <= bound(alpha, studies));
        if (n == 40) CHECK(at(10).irrelevant > 0.8);
      }
}

TEST_CASE("by the rule of earlier programs, at most alpha are wrongly refuted at the smallest effect") {
  struct Truth {
    const char* name;
    SmallestEffect smallest;
    double t;
    Direction direction;
    std::optional<kernel::Margin> margin;
  };
  const double pair_sd = std::sqrt(2.0);
  for (const Pairing pairing : {Pairing::seed, Pairing::none}) {
    const double sd = pairing == Pairing::seed ? pair_sd : 1;
    const std::vector<Truth> truths{
        {"one standard deviation", {SmallestEffect::Kind::sd, 1}, 10 - sd, Direction::less, std::nullopt},
        {"half a standard deviation above a margin",
         {SmallestEffect::Kind::sd, 0.5},
         11 + sd / 2,
         Direction::greater,
         absolute(1)},
        {"absolute", {SmallestEffect::Kind::absolute, 0.8}, 9.2, Direction::less, std::nullopt},
        {"relative beyond a relative margin", {SmallestEffect::Kind::relative, 0.1}, 7, Direction::less, relative(0.2)},
        {"one standard deviation, either way",
         {SmallestEffect::Kind::sd, 1},
         10 + sd,
         Direction::different,
         std::nullopt},
    };
    for (const Truth& truth : truths) {
      for (const int n : {4, 40}) {
        auto spec = synthetic::study(n);
        spec.design.pairing = pairing;
        spec.design.rule = kernel::VerdictRule::smallest_effect;
        Hypothesis h = compare(truth.direction, truth.margin);
        h.smallest_effect = truth.smallest;
        const Rates rates = simulate(
            spec, h, 0, 0, [&](stats::Xoshiro& random) { return synthetic::two_arms(random, n, truth.t, 10, 1); });
        CAPTURE(truth.name, n, static_cast<int>(pairing), rates.refuted);
        CHECK(rates.refuted <= bound(alpha, studies));
      }
    }
  }
}

TEST_CASE("slopes on the boundary are wrongly supported at alpha, and their interval covers") {
  auto spec = synthetic::study(3, {synthetic::factor("n", {"100", "200", "400"})});
  spec.design.pairing = Pairing::none;
  Hypothesis h = synthetic::slope(Direction::equal, 2, absolute(0.25));
  h.slope_scale = kernel::SlopeScale::loglog;
  h.where = {{"arm", "t"}};
  const auto runs_of = [](double slope) {
    return [slope](stats::Xoshiro& random) {
      Runs runs;
      for (const double n : {100, 200, 400}) {
        std::vector<double> values;
        for (int i = 0; i < 3; ++i) values.push_back(std::pow(n, slope) * std::exp(0.1 * random.normal()));
        runs.add_all({{"arm", "t"}, {"n", std::to_string(static_cast<int>(n))}}, values);
      }
      return runs;
    };
  };
  const Rates edge = simulate(spec, h, 2.25, 0.125, runs_of(2.25));
  CAPTURE(edge.supported, edge.covered);
  CHECK(edge.supported <= bound(alpha, studies));
  CHECK(edge.supported > alpha / 2);
  CHECK(std::abs(edge.covered - 0.9) <= bound(0.1, studies) - 0.1);
  CHECK(std::abs(edge.relatively_covered - 0.9) <= bound(0.1, studies) - 0.1);
  CHECK(simulate(spec, h, 2, 0, runs_of(2)).supported > 0.8);
}

TEST_CASE("seeds that differ in intercept and slope are wrongly supported at alpha, on one line as well") {
  auto spec = synthetic::study(6, {synthetic::factor("n", {"1", "2", "3", "4"})});
  Hypothesis h = synthetic::slope(Direction::different, 0);
  h.where = {{"arm", "t"}};
  const auto draw = [](stats::Xoshiro& random) {
    Runs runs;
    std::vector<std::pair<double, double>> lines;
    for (int i = 0; i < 6; ++i) lines.push_back({0.2 * random.normal(), random.normal()});
    for (const double n : {1, 2, 3, 4}) {
      std::vector<double> values;
      for (const auto& [intercept, slope] : lines)
        values.push_back(intercept + slope * (n - 2.5) + 0.2 * random.normal());
      runs.add_all({{"arm", "t"}, {"n", std::to_string(static_cast<int>(n))}}, values);
    }
    return runs;
  };
  CHECK(simulate(spec, h, 0, std::nan(""), draw).supported <= bound(alpha, studies));
  // The regression over all runs of earlier programs took them for independent.
  spec.design.rule = kernel::VerdictRule::smallest_effect;
  CHECK(simulate(spec, h, 0, std::nan(""), draw).supported > 0.2);
}

TEST_CASE("noise that a seed lends to every crossed setting makes no slope") {
  auto spec = synthetic::study(4, {synthetic::factor("n", {"1", "2", "3"})});
  for (const Direction direction : {Direction::greater, Direction::different}) {
    const Rates rates = simulate(spec, synthetic::slope(direction, 0), 0, std::nan(""), [](stats::Xoshiro& random) {
      Runs runs;
      for (const char* n : {"1", "2", "3"}) {
        std::vector<double> shared;
        for (int i = 0; i < 4; ++i) shared.push_back(10 + random.normal());
        // Eight evaluations of the same trained model would do it the same way; two are enough to show.
        for (const char* arm : {"t", "c"}) runs.add_all({{"arm", arm}, {"n", n}}, shared);
      }
      return runs;
    });
    CAPTURE(static_cast<int>(direction), rates.supported);
    CHECK(rates.supported <= bound(alpha, studies));
  }
}

TEST_CASE("ratios of log-normal arms are wrongly supported at alpha on a log scale") {
  auto spec = synthetic::study(8);
  spec.metrics[0].scale = kernel::Scale::log;
  const Rates rates = simulate(spec, compare(Direction::less, relative(0.5)), -5, -0.5, [](stats::Xoshiro& random) {
    std::vector<double> t, c;
    for (int i = 0; i < 8; ++i) {
      const double shared = random.normal();
      t.push_back(5 * std::exp(shared + 0.5 * random.normal()));
      c.push_back(10 * std::exp(shared + 0.5 * random.normal()));
    }
    Runs runs;
    runs.add_all({{"arm", "t"}}, t);
    runs.add_all({{"arm", "c"}}, c);
    return runs;
  });
  CHECK(rates.supported <= bound(alpha, studies));
  CHECK(rates.supported > alpha / 2);
  CHECK(std::abs(rates.relatively_covered - 0.9) <= bound(0.1, studies) - 0.1);
}

TEST_CASE("among five hypotheses, some of them true, a wrong support happens in at most alpha of the studies") {
  for (const int truths : {0, 2}) {
    auto spec = synthetic::study(8, {synthetic::factor("x", {"0", "1", "2", "3", "4"})});
    std::vector<Hypothesis> batch;
    for (int i = 0; i < 5; ++i) {
      batch.push_back(compare(i % 2 == 0 ? Direction::less : Direction::different));
      batch.back().id = kernel::HypothesisId("H" + std::to_string(i));
      batch.back().where = {{"x", std::to_string(i)}};
    }
    stats::Xoshiro random(7);
    int wrong = 0;
    const int families = studies / 2;
    for (int study = 0; study < families; ++study) {
      std::vector<std::vector<kernel::RunValue>> values;
      std::vector<Runs> keep(5);
      for (int i = 0; i < 5; ++i) {
        const double effect = i < truths ? -3 : 0;
        std::vector<double> t, c;
        for (int k = 0; k < 8; ++k) {
          c.push_back(10 + random.normal());
          t.push_back(10 + effect + random.normal());
        }
        Runs& runs = keep[static_cast<std::size_t>(i)];
        runs.add_all({{"arm", "t"}, {"x", std::to_string(i)}}, t);
        runs.add_all({{"arm", "c"}, {"x", std::to_string(i)}}, c);
        values.push_back(runs.values());
      }
      std::vector<kernel::Estimate> estimates;
      for (std::size_t i = 0; i < 5; ++i) estimates.push_back(kernel::estimate(spec, batch[i], values[i]));
      const auto results = kernel::judge_batch(spec, batch, 5, estimates);
      bool any = false;
      for (int i = truths; i < 5; ++i) any = any || results[static_cast<std::size_t>(i)].verdict == Verdict::supported;
      wrong += any ? 1 : 0;
    }
    CAPTURE(truths, wrong);
    CHECK(static_cast<double>(wrong) / families <= bound(alpha, families));
    CHECK(static_cast<double>(wrong) / families > alpha / 4);
  }
}

TEST_CASE("Stein's sizes from a discarded pilot keep the power they promise") {
  struct Design {
    Direction direction;
    std::optional<kernel::Margin> margin;
    double truth, smallest;
    Pairing pairing;
    int family;
  };
  const std::vector<Design> designs{{Direction::less, std::nullopt, -1, 1, Pairing::seed, 1},
                                    {Direction::less, std::nullopt, -1, 1, Pairing::seed, 4},
                                    {Direction::different, std::nullopt, -1, 1, Pairing::none, 1},
                                    {Direction::equal, absolute(1.2), 0, 1, Pairing::seed, 1}};
  for (const Design& d : designs) {
    auto spec = synthetic::study();
    spec.design.pairing = d.pairing;
    spec.design.replicates_min = 2;
    spec.design.replicates_max = 100000;
    Hypothesis h = compare(d.direction, d.margin);
    h.smallest_effect = {SmallestEffect::Kind::absolute, d.smallest};
    stats::Xoshiro random(99);
    double found = 0;
    for (int i = 0; i < studies; ++i) {
      const Runs pilot = synthetic::two_arms(random, spec.design.pilot, 10, 10, 1);
      const int n = kernel::size_of(spec, h, d.family, pilot.values()).record.replicates;
      const Runs runs = synthetic::two_arms(random, n, 10 + d.truth, 10, 1);
      const kernel::Estimate e = kernel::estimate(spec, h, runs.values());
      found += e.p.outside <= alpha / d.family ? 1.0 / studies : 0;
    }
    CAPTURE(static_cast<int>(d.direction), static_cast<int>(d.pairing), d.family, found);
    CHECK(found >= 0.79 - 3.3 * std::sqrt(0.8 * 0.2 / studies));
  }
}

TEST_CASE("the BCa interval of a mean difference covers within three points at n = 20") {
  auto spec = synthetic::study(20);
  const Hypothesis h = compare(Direction::different);
  stats::Xoshiro random(5);
  double covered = 0;
  const int count = 1000;
  for (int i = 0; i < count; ++i) {
    const Runs runs = synthetic::two_arms(random, 20, 11, 10, 1);
    const std::vector<Hypothesis> batch{h};
    const std::vector<std::vector<kernel::RunValue>> values{runs.values()};
    const auto r = kernel::judge_batch(spec, batch, 1, values).front();
    REQUIRE(r.bca_low);
    CHECK_FALSE(r.bca_descriptive);
    covered += *r.bca_low <= 1 && *r.bca_high >= 1 ? 1.0 / count : 0;
  }
  CAPTURE(covered);
  CHECK(std::abs(covered - 0.95) <= 0.03);
}

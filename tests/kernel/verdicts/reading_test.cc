// What a result rests on and how firm it is.

#include "kernel/verdicts/reading.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "kernel/verdicts/judge.h"
#include "stats/effects/heterogeneity.h"
#include "tests/kernel/verdicts/judging.h"

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisResult;
using kernel::Pairing;
using kernel::Verdict;
using synthetic::compare;
using synthetic::Runs;

namespace {

struct Read {
  HypothesisResult result;
  kernel::Reading reading;
};

Read read(kernel::StudySpec spec, const Hypothesis& h, const Runs& runs, std::optional<double> planned = {}) {
  spec.design.reading = true;
  const std::vector<Hypothesis> batch{h};
  const std::vector<kernel::Estimate> estimates{kernel::estimate(spec, h, runs.values())};
  const kernel::TestedBatch whole(spec, batch, 1, estimates);
  kernel::StudyTerms study;
  study.spec = spec;
  kernel::Registration registration;
  registration.sizes = {{h.id, 10, planned, std::nullopt, {}}};
  Read read{whole.results().front(), {}};
  read.reading = kernel::reading_of(study, registration, h, estimates.front(), read.result, runs.values(),
                                    [&](const kernel::Estimate& other) { return whole.verdict_with(0, other); });
  return read;
}

/// Run numbers from 1, which outliers are named by.
Runs numbered(const std::vector<double>& t, const std::vector<double>& c) {
  Runs runs;
  runs.add_all({{"arm", "t"}}, t);
  runs.add_all({{"arm", "c"}}, c);
  int number = 0;
  for (const kernel::RunValue& run : runs.values()) const_cast<kernel::RunValue&>(run).run = ++number;
  return runs;
}

}  // namespace

TEST_CASE("n counts the units of the test, with the runs that none of them holds") {
  Runs runs;
  for (const char* x : {"1", "2"}) {
    runs.add_all({{"arm", "t"}, {"x", x}}, {1, 2, 1.5, 1.2, 1.9});
    runs.add_all({{"arm", "c"}, {"x", x}}, {5, 7, 6.5, 6.1, 5.7});
  }
  runs.add({{"arm", "t"}, {"x", "1"}}, 6, 1.1);  // No other cell has seed 6.
  kernel::StudySpec spec = synthetic::study(5, {synthetic::factor("x", {"1", "2"})});
  const Read paired = read(spec, compare(Direction::less), runs);
  CHECK(paired.result.n == std::array{5, 5});
  CHECK(paired.reading.runs == std::array{11, 10});
  CHECK(paired.reading.left_out == std::array{1, 0});
  spec.design.pairing = Pairing::none;
  const Read unpaired = read(spec, compare(Direction::less), runs);
  CHECK(unpaired.result.n == std::array{11, 10});
  CHECK(unpaired.reading.left_out == std::array{0, 0});
  // Programs before counted runs.
  spec.design.pairing = Pairing::seed;
  spec.design.reading = false;
  CHECK(synthetic::judge_one(spec, compare(Direction::less), runs).n == std::array{11, 10});
}

TEST_CASE("a slope of its own for each seed makes the seeds the units") {
  kernel::StudySpec spec = synthetic::study(4, {synthetic::factor("n", {"1", "2", "3"})});
  Hypothesis h = synthetic::slope(Direction::greater, 0);
  h.where = {{"arm", "c"}};
  Runs runs;
  for (const char* n : {"1", "2", "3"}) {
    const double at = std::stod(n);
    runs.add_all({{"arm", "c"}, {"n", n}}, {at, 1.1 * at, 0.9 * at + 1, 1.2 * at});
  }
  const Read r = read(spec, h, runs);
  CHECK(r.result.n == std::array{4, 0});
  CHECK(r.reading.runs == std::array{12, 0});
}

TEST_CASE("the standardised size is Hedges' g of the test's unit") {
  const std::vector<double> t = {1, 2, 4, 3, 2.5, 3.5}, c = {2.5, 4, 5, 4.5, 5, 4.5};
  const Read r = read(synthetic::study(6), compare(Direction::less), numbered(t, c), 0.83);
  std::vector<double> differences;
  for (std::size_t i = 0; i < t.size(); ++i) differences.push_back(t[i] - c[i]);
  const auto m = stats::moments(differences);
  // J(5) = Γ(2.5) / (√2.5·Γ(2)).
  const double j = std::tgamma(2.5) / std::sqrt(2.5);
  REQUIRE(r.reading.standardised);
  CHECK(*r.reading.standardised == Approx(j * m->mean / std::sqrt(m->variance)));
  CHECK(r.reading.planned_power == 0.83);
}

TEST_CASE("an outlier that decides is named, and ranks are asked") {
  std::vector<double> t = {1, 1.2, 0.9, 1.1, 1.05, 0.95, 1.15, 1.08}, c = {2, 2.1, 1.9, 2.2, 2.05, 1.95, 2.15, 2.0};
  const Read firm = read(synthetic::study(8), compare(Direction::less), numbered(t, c));
  CHECK(firm.result.verdict == Verdict::supported);
  CHECK(firm.reading.outliers == 0);
  CHECK_FALSE(firm.reading.without_outlier);
  REQUIRE(firm.reading.by_ranks);
  CHECK(firm.reading.by_ranks->verdict == Verdict::supported);
  CHECK(firm.reading.by_ranks->p == Approx(1 / 256.0));
  t[3] = 60;
  const Read shaken = read(synthetic::study(8), compare(Direction::less), numbered(t, c));
  CHECK(shaken.result.verdict == Verdict::inconclusive);
  CHECK(shaken.reading.outliers == 1);
  REQUIRE(shaken.reading.without_outlier);
  CHECK(shaken.reading.without_outlier->verdict == Verdict::supported);
  CHECK(shaken.reading.outlier_run == 4);
}

TEST_CASE("ranks say nothing where they cannot reach the level") {
  const Read few =
      read(synthetic::study(4), compare(Direction::less), numbered({1, 1.1, 0.9, 1.2}, {2, 2.2, 1.9, 2.05}));
  CHECK(few.result.verdict == Verdict::supported);
  CHECK_FALSE(few.reading.by_ranks);
}

TEST_CASE("effect and interval come from the same contrast, whatever the method") {
  stats::Xoshiro random(5);
  for (const Pairing pairing : {Pairing::seed, Pairing::none})
    for (const kernel::Method method : {kernel::Method::t, kernel::Method::log_t, kernel::Method::rank})
      for (const bool relative : {false, true}) {
        kernel::StudySpec spec = synthetic::study(9);
        spec.design.pairing = pairing;
        Hypothesis h = compare(Direction::less);
        h.method = method;
        if (relative) h.margin = synthetic::relative(0.1);
        const Runs runs = synthetic::two_arms(random, 9, 10, 12, 1);
        const kernel::Estimate e = kernel::estimate(spec, h, runs.values());
        REQUIRE(e.tests.size() == 1);
        const kernel::Test& test = e.tests.front();
        CAPTURE(static_cast<int>(pairing), static_cast<int>(method), relative);
        // At a low level the interval is almost the effect itself. Intervals of ranks move in steps.
        const double narrow = method == kernel::Method::rank ? 0.02 : 1e-9;
        const double width = method == kernel::Method::rank ? 0.3 : 1e-6;
        const stats::Interval absolute = test.interval(narrow), ratio = test.relative_interval(narrow);
        REQUIRE((absolute.low && absolute.high && ratio.low && ratio.high && test.effect_relative));
        CHECK(*absolute.low <= test.effect + 1e-12);
        CHECK(*absolute.high >= test.effect - 1e-12);
        CHECK(*absolute.high - *absolute.low < width);
        CHECK(*ratio.low <= *test.effect_relative + 1e-12);
        CHECK(*ratio.high >= *test.effect_relative - 1e-12);
      }
}

TEST_CASE("settings that an average covers show their range and how it exceeds chance") {
  kernel::StudySpec spec = synthetic::study(8, {synthetic::factor("x", {"1", "2", "3"})});
  stats::Xoshiro random(8);
  Runs runs;
  for (const auto& [x, effect] : {std::pair{"1", -1.0}, {"2", -5.0}, {"3", -9.0}}) {
    std::vector<double> t, c;
    for (int i = 0; i < 8; ++i) t.push_back(20 + effect + random.normal()), c.push_back(20 + random.normal());
    runs.add_all({{"arm", "t"}, {"x", x}}, t);
    runs.add_all({{"arm", "c"}, {"x", x}}, c);
  }
  const kernel::InSettings in = kernel::in_settings(spec, compare(Direction::less), runs.values());
  REQUIRE(in.results.size() == 3);
  REQUIRE(in.spread);
  CHECK(in.spread->settings == 3);
  CHECK(in.spread->lowest == *in.results[2].effect);
  CHECK(in.spread->highest == *in.results[0].effect);
  CHECK(in.spread->i2 > 0.9);
  REQUIRE((in.spread->low && in.spread->high));
  CHECK(*in.spread->low < in.spread->lowest);
  CHECK(*in.spread->high > in.spread->highest);
}

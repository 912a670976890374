// What results say to people: the right numbers, forms and names.

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "kernel/inference/estimate.h"
#include "kernel/sizing/sizing.h"
#include "kernel/views/result_text.h"
#include "tests/kernel/verdicts/judging.h"

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisResult;
using kernel::SmallestEffect;
using kernel::Verdict;

namespace {

std::string all_of(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += warning + "\n";
  return text;
}

}  // namespace

TEST_CASE("a refutation in standard deviations quotes the p that decided it, and their size") {
  kernel::StudySpec spec = synthetic::study(28);
  spec.design.rule = kernel::VerdictRule::smallest_effect;
  Hypothesis h = synthetic::compare(Direction::less);
  for (const double k : {1.0, 1.5}) {
    h.smallest_effect = {SmallestEffect::Kind::sd, k};
    synthetic::Runs runs;
    std::vector<double> t, c;
    for (int i = 0; i < 28; ++i) {
      t.push_back(i % 2 == 0 ? 9 : 11);
      c.push_back(i / 2 % 2 == 0 ? 9 : 11);
    }
    runs.add_all({{"arm", "t"}}, t);
    runs.add_all({{"arm", "c"}}, c);
    const HypothesisResult r = judge_one(spec, h, runs);
    REQUIRE(r.verdict == Verdict::refuted);
    const kernel::Estimate e = kernel::estimate(spec, h, runs.values());
    const kernel::Test& test = e.tests.at(0);
    CAPTURE(newest_words(r.reason));
    CHECK(synthetic::holds(r.reason,
                           fmt::format("A test in standard deviations excludes every effect that goes {} standard "
                                       "deviation{} (of {:.3g} ms) or more beyond it: p is {:.2g}, and 0.05 suffices.",
                                       k, k == 1 ? "" : "s", *test.sd, test.p.beyond)));
    CHECK_FALSE(synthetic::holds(r.reason, "(s)"));
  }
}

TEST_CASE("what is open in standard deviations is not said to be measured by an interval") {
  kernel::StudySpec spec = synthetic::study(5);
  spec.design.rule = kernel::VerdictRule::smallest_effect;
  Hypothesis h = synthetic::compare(Direction::less);
  h.smallest_effect = {SmallestEffect::Kind::sd, 0.5};
  synthetic::Runs runs;
  runs.add_all({{"arm", "t"}}, {9, 11, 10, 12, 8});
  runs.add_all({{"arm", "c"}}, {10, 10, 11, 11, 9});
  const HypothesisResult r = judge_one(spec, h, runs);
  REQUIRE(r.verdict == Verdict::inconclusive);
  CHECK(synthetic::holds(
      r.reason, "nor does a test in standard deviations exclude every effect that goes 0.5 standard deviations"));
}

TEST_CASE("of a control that may as well be zero no percentage is said") {
  const kernel::StudySpec spec = synthetic::study(6);
  for (const bool relative : {true, false}) {
    CAPTURE(relative);
    kernel::HypothesisRecord record;
    record.hypothesis = synthetic::compare(Direction::less);
    if (relative) record.hypothesis.margin = synthetic::relative(0.1);
    synthetic::Runs runs;
    runs.add_all({{"arm", "t"}}, {4, 6, 5, 7, 5, 6});
    runs.add_all({{"arm", "c"}}, {-1, 1, 0.5, -0.4, 0.2, -0.1});
    record.result = judge_one(spec, record.hypothesis, runs);
    CHECK(record.result->effect);
    CHECK(record.result->low);
    CHECK_FALSE(record.result->effect_relative);
    const kernel::ShownResult s = kernel::shown(spec, record);
    CHECK(s.main_effect().text == s.effect.text);
    CHECK(synthetic::holds(s.main_effect().text, " ms"));
    CHECK(synthetic::holds(s.main_interval().text, "["));
    CHECK(s.relative_effect.text.find('%') == std::string::npos);
  }
}

TEST_CASE("one seed has, and two have") {
  const kernel::StudySpec spec = synthetic::study(2);
  synthetic::Runs runs;
  runs.add_all({{"arm", "t"}}, {4, 6});
  runs.add_all({{"arm", "c"}}, {5});
  const kernel::Estimate e = kernel::estimate(spec, synthetic::compare(Direction::less), runs.values());
  CHECK(synthetic::holds(e.obstacle, "only 1 seed has a value in every cell of both arms"));
}

TEST_CASE("one far from zero has its percentage") {
  const kernel::StudySpec spec = synthetic::study(6);
  synthetic::Runs runs;
  runs.add_all({{"arm", "t"}}, {4, 6, 5, 7, 5, 6});
  runs.add_all({{"arm", "c"}}, {11, 10, 9, 12, 10, 11});
  const HypothesisResult r = judge_one(spec, synthetic::compare(Direction::less), runs);
  REQUIRE(r.effect_relative);
  CHECK(*r.effect_relative == Approx(33.0 / 63 - 1));
}

TEST_CASE("ranks are not said to have a t interval") {
  kernel::StudySpec spec = synthetic::study(8);
  synthetic::Runs runs;
  runs.add_all({{"arm", "t"}}, {1, 1.1, 0.9, 1.07, 1.05, 0.95, 1.2, 30});
  runs.add_all({{"arm", "c"}}, {1.01, 1.02, 1.1, 0.93, 0.99, 0.98, 1.04, 1.03});
  for (const kernel::Pairing pairing : {kernel::Pairing::seed, kernel::Pairing::none}) {
    spec.design.pairing = pairing;
    Hypothesis h = synthetic::compare(Direction::greater);
    h.method = kernel::Method::t;
    CHECK(synthetic::holds(all_of(kernel::newest_words(kernel::estimate(spec, h, runs.values()).warnings)),
                           "t interval"));
    h.method = kernel::Method::rank;
    const std::string by_ranks = all_of(kernel::newest_words(kernel::estimate(spec, h, runs.values()).warnings));
    CAPTURE(by_ranks);
    CHECK_FALSE(synthetic::holds(by_ranks, "t interval"));
    CHECK(synthetic::holds(by_ranks, "skewed") == (pairing == kernel::Pairing::seed));
  }
}

TEST_CASE("sizes are said in the right form") {
  kernel::StudySpec spec = synthetic::study(1);
  Hypothesis h = synthetic::compare(Direction::less);
  h.smallest_effect = {SmallestEffect::Kind::sd, 1};
  CHECK(synthetic::holds(kernel::size_of(spec, h, 1, {}).record.how, "1 replicate cannot give a verdict"));
  spec = synthetic::study(4);
  const kernel::Reason how = kernel::size_of(spec, h, 1, {}).record.how;
  CHECK(synthetic::holds(how, "4 replicates have power"));
  CHECK(synthetic::holds(how, "for an effect of 1 standard deviation,"));
}

TEST_CASE("each setting of an average is described by itself, and by the hypothesis's own method") {
  kernel::StudySpec spec = synthetic::study(6, {synthetic::factor("x", {"a", "b"})});
  synthetic::Runs runs;
  runs.add_all({{"arm", "t"}, {"x", "a"}}, {5, 6, 5.5, 6.5, 5, 6});
  runs.add_all({{"arm", "c"}, {"x", "a"}}, {10, 11, 9, 10, 10.5, 11});
  runs.add_all({{"arm", "t"}, {"x", "b"}}, {9, 10, 9.5, 9, 10, 9.2});
  runs.add_all({{"arm", "c"}, {"x", "b"}}, {7, 6, 7.5, 7, 6.5, 7.2});
  Hypothesis h = synthetic::compare(Direction::less);
  const auto settings = kernel::in_settings(spec, h, runs.values()).results;
  REQUIRE(settings.size() == 2);
  CHECK(settings[0].levels == kernel::Cell{{"x", "a"}});
  CHECK(*settings[0].effect == Approx(34.0 / 6 - 61.5 / 6));
  CHECK(*settings[1].effect > 0);
  Hypothesis alone = h;
  alone.where = {{"x", "a"}};
  const auto interval = kernel::estimate(spec, alone, runs.values()).tests.at(0).interval(0.95);
  CHECK(*settings[0].low == Approx(*interval.low));
  CHECK(*settings[0].high == Approx(*interval.high));
  CHECK(settings[0].level == 0.95);
  CHECK((*settings[0].effect + *settings[1].effect) / 2 == Approx(*kernel::estimate(spec, h, runs.values()).effect));
  h.over = kernel::Over::every;
  CHECK(kernel::in_settings(spec, h, runs.values()).results.empty());
  CHECK(kernel::in_settings(spec, alone, runs.values()).results.empty());
}

// What a hypothesis's result says in words: what was found, and what was measured.
#include "kernel/views/finding.h"

#include <catch2/catch.hpp>

#include "tests/kernel/inference/synthetic.h"

using kernel::Direction;
using kernel::HypothesisRecord;
using kernel::Verdict;
using synthetic::absolute;
using synthetic::relative;

namespace {

constexpr int newest = kernel::wording_version;

HypothesisRecord judged(kernel::Hypothesis h, Verdict verdict, std::optional<double> effect, std::optional<double> low,
                        std::optional<double> high) {
  HypothesisRecord record;
  record.hypothesis = std::move(h);
  record.experiment = "E01";
  kernel::HypothesisResult& r = record.result.emplace();
  r.verdict = verdict;
  r.level = 0.95;
  r.n = {12, 12};
  const bool ratio = record.hypothesis.margin && record.hypothesis.margin->kind == kernel::Margin::Kind::relative;
  (ratio ? r.effect_relative : r.effect) = effect;
  (ratio ? r.relative_low : r.low) = low;
  (ratio ? r.relative_high : r.high) = high;
  return record;
}

}  // namespace

TEST_CASE("what was measured has its size without a sign, and the interval turned with it") {
  const kernel::StudySpec spec = synthetic::study();
  CHECK(kernel::size_words(
            spec,
            judged(synthetic::compare(Direction::less, relative(0.5)), Verdict::supported, -0.979, -0.981, -0.9768),
            newest) == "y under arm = t is 97.90 % less than that under arm = c, 95 % interval [97.68 %, 98.10 %]");
  CHECK(kernel::size_words(spec, judged(synthetic::compare(Direction::greater), Verdict::supported, 3.04, 2.0, 4.08),
                           newest) ==
        "y under arm = t is 3.0 ms greater than that under arm = c, 95 % interval [2.0, 4.1] ms");
}

TEST_CASE("a size whose interval holds no difference keeps its signs") {
  const kernel::StudySpec spec = synthetic::study();
  CHECK(kernel::size_words(
            spec, judged(synthetic::compare(Direction::equal, relative(0.33)), Verdict::supported, 0.02, -0.06, 0.11),
            newest) == "y under arm = t differs from that under arm = c by 2.0 %, 95 % interval [-6.0 %, 11.0 %]");
}

TEST_CASE("a slope is shown as such, and what is missing has its reason") {
  const kernel::StudySpec spec = synthetic::study(10, {synthetic::factor("n", {"1", "2", "4"})});
  CHECK(kernel::size_words(
            spec, judged(synthetic::slope(Direction::equal, 2, absolute(0.4)), Verdict::supported, 2.09, 2.03, 2.15),
            newest) ==
        "linear slope of y along n is 2.090 ms per n, 95 % interval [2.030, 2.150] ms per n; on average over arm");
  CHECK(kernel::size_words(spec, judged(synthetic::compare(Direction::less), Verdict::inconclusive, {}, {}, {}),
                           newest) ==
        "no estimate for y under arm = t: the values allow no estimate; on average over n");
  HypothesisRecord open;
  open.hypothesis = synthetic::compare(Direction::less);
  CHECK(kernel::size_words(synthetic::study(), open, newest) ==
        "y under arm = t was not measured: its experiment is not analysed");
}

TEST_CASE("of a refuted hypothesis it is said what was found instead, if the interval shows it") {
  const kernel::StudySpec spec = synthetic::study();
  const auto found = [&](Direction direction, std::optional<kernel::Margin> margin, double low, double high) {
    return kernel::found_words(
        spec, judged(synthetic::compare(direction, margin), Verdict::refuted, (low + high) / 2, low, high), newest);
  };
  CHECK(found(Direction::greater, relative(1), -0.36, -0.23) == "y under arm = t is less than that under arm = c");
  CHECK(found(Direction::greater, relative(1), 0.2, 0.4) ==
        "y under arm = t is greater than that under arm = c, but not by more than 100 %");
  CHECK(found(Direction::greater, relative(1), -0.1, 0.4) ==
        "y under arm = t is not greater than that under arm = c by more than 100 %");
  CHECK(found(Direction::less, {}, 1, 2) == "y under arm = t is greater than that under arm = c");
  CHECK(found(Direction::equal, relative(0.1), 0.2, 0.4) ==
        "y under arm = t is greater than that under arm = c by more than 10 %");
  CHECK(found(Direction::not_worse, relative(0.1), 0.2, 0.4) ==
        "y under arm = t is worse than that under arm = c by more than 10 %");
}

TEST_CASE("what was found of other verdicts is the finding") {
  const kernel::StudySpec spec = synthetic::study();
  for (const Verdict verdict : {Verdict::supported, Verdict::inconclusive}) {
    const HypothesisRecord record = judged(synthetic::compare(Direction::less), verdict, -1, -2, -0.5);
    CHECK(kernel::found_words(spec, record, newest) == kernel::finding_words(spec, record, newest));
  }
}

TEST_CASE("the answer gives what was found, where the size alone does not say it") {
  const kernel::StudySpec spec = synthetic::study();
  const auto answer = [&](kernel::Hypothesis h, Verdict verdict) {
    return kernel::answer_words(spec, judged(std::move(h), verdict, 0.02, -0.06, 0.11), newest);
  };
  CHECK(answer(synthetic::compare(Direction::equal, relative(0.33)), Verdict::supported) ==
        "y under arm = t equals that under arm = c to within 33 %; measured: 2.0 %, 95 % interval [-6.0 %, 11.0 %]");
  CHECK(answer(synthetic::compare(Direction::less, relative(0.1)), Verdict::inconclusive) ==
        "it is not decided whether y under arm = t is less than that under arm = c by more than 10 %; measured: 2.0 %, "
        "95 % interval [-6.0 %, 11.0 %]");
  const HypothesisRecord less =
      judged(synthetic::compare(Direction::less, relative(0.5)), Verdict::supported, -0.9, -0.95, -0.85);
  CHECK(kernel::answer_words(spec, less, newest) == kernel::size_words(spec, less, newest));
}

TEST_CASE("an interaction compares two differences, or two ratios, in words of its own since wording 6") {
  const kernel::StudySpec spec = synthetic::study(10, {synthetic::factor("n", {"1", "4"})});
  kernel::Hypothesis h = synthetic::compare(Direction::greater);
  h.kind = kernel::HypothesisKind::interaction;
  h.along = "n";
  h.steps = {"1", "4"};
  CHECK(kernel::tested_words(spec, h, 5) ==
        "what y under arm = t differs by from that under arm = c at n = 4 is greater than that at n = 1");
  CHECK(kernel::tested_words(spec, h, newest) ==
        "the difference in y (arm = t minus arm = c) at n = 4 is greater than that at n = 1");
  CHECK(
      kernel::size_words(spec, judged(h, Verdict::supported, 3.04, 2.0, 4.08), newest) ==
      "the difference in y (arm = t minus arm = c) at n = 4 is 3.0 ms greater than that at n = 1, 95 % interval [2.0, "
      "4.1] ms");
  h.method = kernel::Method::log_t;
  h.margin = relative(0.1);
  CHECK(kernel::tested_words(spec, h, newest) ==
        "the ratio of y (arm = t to arm = c) at n = 4 is greater than that at n = 1 by more than 10 %");
}

TEST_CASE("a crossover tells both levels, whatever its verdict") {
  const kernel::StudySpec spec = synthetic::study(10, {synthetic::factor("n", {"1", "4"})});
  kernel::Hypothesis h = synthetic::compare(Direction::less);
  h.kind = kernel::HypothesisKind::crossover;
  h.along = "n";
  h.steps = {"1", "4"};
  const auto record = [&](Verdict verdict, kernel::ReasonCode code) {
    const auto at = [](const char* level, double low, double high) {
      return std::vector{
          kernel::Reason{kernel::ReasonCode::interval_at_level,
                         {{"factor", "n"}, {"at", level}, {"level", 0.9}, {"low", low}, {"high", high}}}};
    };
    HypothesisRecord one = judged(h, verdict, 3.04, 2.0, 4.08);
    one.result->reason = {code, {{"first", at("1", -5, -3)}, {"later", at("4", 2, 4.08)}}};
    return one;
  };
  const std::string both =
      "at n=1 the 90 % interval of the effect is -5 to -3, and at n=4 the 90 % interval of the effect is 2 to 4.08";
  const HypothesisRecord shown = record(Verdict::supported, kernel::ReasonCode::sign_changes);
  CHECK(kernel::size_words(spec, shown, newest) == "the difference in y (arm = t minus arm = c): " + both);
  CHECK(kernel::answer_words(spec, shown, newest) == kernel::size_words(spec, shown, newest));
  CHECK(kernel::answer_words(spec, record(Verdict::inconclusive, kernel::ReasonCode::sign_open), newest) ==
        "it is not decided whether the difference in y (arm = t minus arm = c) turns from negative to positive along n "
        "(1, 4); measured: " +
            both);
  CHECK(kernel::measured(spec, shown, newest).interval.text == both);
  CHECK(kernel::measured(spec, shown, 5).interval.text == "[2.0, 4.1] ms");
}

TEST_CASE("where the unit is %, points and percentages of the control are told apart since wording 6") {
  kernel::StudySpec spec = synthetic::study();
  spec.metrics.front().unit = "%";
  const HypothesisRecord points =
      judged(synthetic::compare(Direction::less, absolute(1)), Verdict::supported, -3, -4, -2);
  CHECK(kernel::size_words(spec, points, 5) ==
        "y under arm = t is 3.0 % less than that under arm = c, 95 % interval [2.0, 4.0] %");
  CHECK(kernel::size_words(spec, points, newest) ==
        "y under arm = t is 3.0 percentage points less than that under arm = c, 95 % interval [2.0, 4.0] percentage "
        "points");
  CHECK(kernel::tested_words(spec, points.hypothesis, newest) ==
        "y under arm = t is less than that under arm = c by more than 1 percentage point");
  CHECK(kernel::tested_words(spec, points.hypothesis, 6) ==
        "y under arm = t is less than that under arm = c by more than 1 percentage points");
  CHECK(kernel::measured(spec, points, newest).effect.text == "-3.0 percentage points");
  const HypothesisRecord ratio =
      judged(synthetic::compare(Direction::less, relative(0.1)), Verdict::supported, -0.3, -0.4, -0.2);
  CHECK(kernel::size_words(spec, ratio, newest) ==
        "y under arm = t is 30 % (relative) less than that under arm = c, 95 % interval [20 %, 40 %] (relative)");
  CHECK(kernel::measured(spec, ratio, newest).effect.text == "-30 % (relative)");
}

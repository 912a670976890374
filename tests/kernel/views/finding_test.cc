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
  CHECK(kernel::size_words(spec, judged(synthetic::compare(Direction::less, relative(0.5)), Verdict::supported, -0.979,
                                        -0.981, -0.9768)) ==
        "y under arm = t is 97.90 % less than that under arm = c, 95 % interval [97.68 %, 98.10 %]");
  CHECK(kernel::size_words(spec, judged(synthetic::compare(Direction::greater), Verdict::supported, 3.04, 2.0, 4.08)) ==
        "y under arm = t is 3.0 ms greater than that under arm = c, 95 % interval [2.0, 4.1] ms");
}

TEST_CASE("a size whose interval holds no difference keeps its signs") {
  const kernel::StudySpec spec = synthetic::study();
  CHECK(kernel::size_words(spec, judged(synthetic::compare(Direction::equal, relative(0.33)), Verdict::supported, 0.02,
                                        -0.06, 0.11)) ==
        "y under arm = t differs from that under arm = c by 2.0 %, 95 % interval [-6.0 %, 11.0 %]");
}

TEST_CASE("a slope is shown as such, and what is missing has its reason") {
  const kernel::StudySpec spec = synthetic::study(10, {synthetic::factor("n", {"1", "2", "4"})});
  CHECK(kernel::size_words(
            spec, judged(synthetic::slope(Direction::equal, 2, absolute(0.4)), Verdict::supported, 2.09, 2.03, 2.15)) ==
        "linear slope of y along n is 2.090 ms per n, 95 % interval [2.030, 2.150] ms per n; on average over arm");
  CHECK(kernel::size_words(spec, judged(synthetic::compare(Direction::less), Verdict::inconclusive, {}, {}, {})) ==
        "no estimate for y under arm = t: the values allow no estimate; on average over n");
  HypothesisRecord open;
  open.hypothesis = synthetic::compare(Direction::less);
  CHECK(kernel::size_words(synthetic::study(), open) ==
        "y under arm = t was not measured: its experiment is not analysed");
}

TEST_CASE("of a refuted hypothesis it is said what was found instead, if the interval shows it") {
  const kernel::StudySpec spec = synthetic::study();
  const auto found = [&](Direction direction, std::optional<kernel::Margin> margin, double low, double high) {
    return kernel::found_words(
        spec, judged(synthetic::compare(direction, margin), Verdict::refuted, (low + high) / 2, low, high));
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
    CHECK(kernel::found_words(spec, record) == kernel::finding_words(spec, record));
  }
}

TEST_CASE("the answer gives what was found, where the size alone does not say it") {
  const kernel::StudySpec spec = synthetic::study();
  const auto answer = [&](kernel::Hypothesis h, Verdict verdict) {
    return kernel::answer_words(spec, judged(std::move(h), verdict, 0.02, -0.06, 0.11));
  };
  CHECK(answer(synthetic::compare(Direction::equal, relative(0.33)), Verdict::supported) ==
        "y under arm = t equals that under arm = c to within 33 %; measured: 2.0 %, 95 % interval [-6.0 %, 11.0 %]");
  CHECK(answer(synthetic::compare(Direction::less, relative(0.1)), Verdict::inconclusive) ==
        "it is not decided whether y under arm = t is less than that under arm = c by more than 10 %; measured: 2.0 %, "
        "95 % interval [-6.0 %, 11.0 %]");
  const HypothesisRecord less =
      judged(synthetic::compare(Direction::less, relative(0.5)), Verdict::supported, -0.9, -0.95, -0.85);
  CHECK(kernel::answer_words(spec, less) == kernel::size_words(spec, less));
}

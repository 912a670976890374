#include "kernel/inference/verdict.h"

#include <vector>

#include <catch2/catch.hpp>

using kernel::Direction;
using kernel::PValues;
using kernel::Verdict;
using kernel::VerdictRule;

TEST_CASE(
    "support is judged at the step's level and comes first, all else at the family's, refutation before relevance") {
  const auto verdict = [](const PValues& p, double step, double family) {
    return kernel::verdict_of(VerdictRule::one_interval, p, step, family);
  };
  CHECK(verdict({0.04, 1, 1}, 0.05, 0.01) == Verdict::supported);
  CHECK(verdict({0.04, 1, 1}, 0.03, 0.05) == Verdict::inconclusive);
  CHECK(verdict({0.96, 0.02, 1}, 0.05, 0.01) == Verdict::inconclusive);
  CHECK(verdict({0.96, 0.005, 0.001}, 0.05, 0.01) == Verdict::refuted);
  CHECK(verdict({0.3, 0.7, 0.005}, 0.05, 0.01) == Verdict::no_relevant_effect);
  CHECK(verdict({0.001, 1, 0.001}, 0.05, 0.01) == Verdict::supported);
  CHECK(verdict({}, 0.05, 0.05) == Verdict::inconclusive);
}

TEST_CASE("by the rule of earlier programs, the exclusion of the smallest effect refutes") {
  CHECK(kernel::verdict_of(VerdictRule::smallest_effect, {0.3, 0.7, 0.005}, 0.05, 0.01) == Verdict::refuted);
}

TEST_CASE("an absent effect is a verdict only for a size that a person declared in the metric's unit or as a share") {
  using Kind = kernel::SmallestEffect::Kind;
  kernel::Hypothesis h;
  h.direction = Direction::less;
  const auto judges = [&](Kind kind, const char* by) {
    h.smallest_effect = {kind, 2};
    h.by = by;
    const double beyond = kernel::by_rule(VerdictRule::one_interval, h, {0.3, 0.7, 0.005}).beyond;
    CHECK(beyond == (h.judges_relevance() ? 0.005 : 1));
    return h.judges_relevance();
  };
  CHECK(judges(Kind::absolute, kernel::person_actor));
  CHECK(judges(Kind::relative, kernel::person_actor));
  CHECK_FALSE(judges(Kind::sd, kernel::person_actor));
  CHECK_FALSE(judges(Kind::absolute, "hypothesis"));
  h.margin = kernel::Margin{kernel::Margin::Kind::absolute, 1};
  CHECK_FALSE(judges(Kind::absolute, kernel::person_actor));
  h.margin->value = 0;
  CHECK(judges(Kind::absolute, kernel::person_actor));
  for (const Direction direction : {Direction::equal, Direction::not_worse}) {
    h.direction = direction;
    CHECK_FALSE(judges(Kind::absolute, kernel::person_actor));
  }
}

TEST_CASE("of a difference in either direction, only the rule of earlier programs doubles the p against it") {
  kernel::Hypothesis h;
  h.smallest_effect = {kernel::SmallestEffect::Kind::absolute, 2};
  CHECK(kernel::by_rule(VerdictRule::one_interval, h, {0.3, 0.04, 0.01}).inside == 0.04);
  const PValues before = kernel::by_rule(VerdictRule::smallest_effect, h, {0.3, 0.04, 0.7});
  CHECK(before.inside == 0.08);
  CHECK(before.beyond == 1);
}

TEST_CASE("a hypothesis over every setting takes its worst p, and pays for each setting that could refute it") {
  const std::vector<PValues> parts{{0.01, 0.9, 0.5}, {0.04, 0.2, 0.01}, {0.02, 1, 1}};
  const PValues all = kernel::in_every(parts);
  CHECK(all.outside == 0.04);
  CHECK(all.inside == Approx(0.6));
  CHECK(all.beyond == Approx(0.03));
  CHECK(kernel::in_every({}).outside == 1);
}

TEST_CASE(
    "one-sided questions are decided by the 1 - 2 alpha interval, supported difference and refuted equality by 1 - "
    "alpha") {
  const auto level = [](Direction direction, Verdict verdict) {
    return kernel::interval_level(VerdictRule::one_interval, direction, verdict, 0.05);
  };
  for (const Verdict v : {Verdict::supported, Verdict::refuted, Verdict::no_relevant_effect, Verdict::inconclusive}) {
    CHECK(level(Direction::less, v) == Approx(0.9));
    CHECK(level(Direction::not_worse, v) == Approx(0.9));
  }
  CHECK(level(Direction::different, Verdict::supported) == Approx(0.95));
  CHECK(level(Direction::different, Verdict::refuted) == Approx(0.9));
  CHECK(level(Direction::different, Verdict::no_relevant_effect) == Approx(0.9));
  CHECK(level(Direction::different, Verdict::inconclusive) == Approx(0.95));
  CHECK(level(Direction::equal, Verdict::supported) == Approx(0.9));
  CHECK(level(Direction::equal, Verdict::refuted) == Approx(0.95));
  CHECK(level(Direction::equal, Verdict::inconclusive) == Approx(0.95));
  for (const Verdict v : {Verdict::supported, Verdict::refuted, Verdict::inconclusive})
    CHECK(kernel::interval_level(VerdictRule::smallest_effect, Direction::different, v, 0.05) == Approx(0.95));
  CHECK(kernel::interval_level(VerdictRule::smallest_effect, Direction::equal, Verdict::inconclusive, 0.05) ==
        Approx(0.9));
}

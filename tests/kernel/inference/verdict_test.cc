#include "kernel/inference/verdict.h"

#include <vector>

#include <catch2/catch.hpp>

using kernel::Direction;
using kernel::PValues;
using kernel::Verdict;

TEST_CASE("supported is p at the step's level, refuted p at the family's, and support comes first") {
  CHECK(kernel::verdict_of({0.04, 1, 1}, 0.05, 0.01) == Verdict::supported);
  CHECK(kernel::verdict_of({0.04, 1, 1}, 0.03, 0.05) == Verdict::inconclusive);
  CHECK(kernel::verdict_of({0.96, 0.02, 1}, 0.05, 0.01) == Verdict::inconclusive);
  CHECK(kernel::verdict_of({0.96, 0.005, 1}, 0.05, 0.01) == Verdict::refuted);
  CHECK(kernel::verdict_of({0.3, 0.7, 0.005}, 0.05, 0.01) == Verdict::refuted);
  CHECK(kernel::verdict_of({0.001, 1, 0.001}, 0.05, 0.01) == Verdict::supported);
  CHECK(kernel::verdict_of({}, 0.05, 0.05) == Verdict::inconclusive);
}

TEST_CASE("a hypothesis over every setting takes its worst p, and pays for each setting that could refute it") {
  const std::vector<PValues> parts{{0.01, 0.9, 0.5}, {0.04, 0.2, 0.01}, {0.02, 1, 1}};
  const PValues all = kernel::in_every(parts);
  CHECK(all.outside == 0.04);
  CHECK(all.inside == Approx(0.6));
  CHECK(all.beyond == Approx(0.03));
  CHECK(kernel::in_every({}).outside == 1);
}

TEST_CASE("one-sided questions are decided by the 1 - 2 alpha interval, difference and refuted equality by 1 - alpha") {
  for (const Verdict v : {Verdict::supported, Verdict::refuted, Verdict::inconclusive}) {
    CHECK(kernel::deciding_level(Direction::less, v, 0.05) == Approx(0.9));
    CHECK(kernel::deciding_level(Direction::not_worse, v, 0.05) == Approx(0.9));
    CHECK(kernel::deciding_level(Direction::different, v, 0.05) == Approx(0.95));
  }
  CHECK(kernel::deciding_level(Direction::equal, Verdict::supported, 0.05) == Approx(0.9));
  CHECK(kernel::deciding_level(Direction::equal, Verdict::refuted, 0.05) == Approx(0.95));
}

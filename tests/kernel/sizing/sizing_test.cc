// How many replicates, before anything is registered.

#include "kernel/sizing/sizing.h"

#include <cmath>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "kernel/sizing/interim_looks.h"
#include "kernel/wording/wording.h"
#include "stats/basics/distributions.h"
#include "tests/kernel/inference/synthetic.h"

using kernel::Direction;
using kernel::Hypothesis;
using kernel::size_of;
using kernel::SmallestEffect;
using synthetic::absolute;
using synthetic::compare;
using synthetic::relative;
using synthetic::Runs;

namespace {

kernel::StudySpec open_study(int least, int most) {
  auto spec = synthetic::study();
  spec.design.replicates_min = least;
  spec.design.replicates_max = most;
  return spec;
}

/// Five pairs with differences −2 −1 0 1 2 around `shift`: sd √2.5.
Runs pilot(double shift = 0) {
  Runs runs;
  runs.add_all({{"arm", "t"}}, {98 + shift, 99 + shift, 100 + shift, 101 + shift, 102 + shift});
  runs.add_all({{"arm", "c"}}, {100, 100, 100, 100, 100});
  return runs;
}

Hypothesis with(Hypothesis h, SmallestEffect::Kind kind, double value) {
  h.smallest_effect = {kind, value};
  return h;
}

}  // namespace

TEST_CASE("an effect in standard deviations is sized without a pilot, as G*Power does") {
  auto spec = open_study(3, 200);
  const Hypothesis h = with(compare(Direction::less), SmallestEffect::Kind::sd, 0.5);
  CHECK_FALSE(kernel::needs_pilot(spec, h));
  CHECK(size_of(spec, h, 1, {}).record.replicates == 27);  // one sample, one tail
  const Hypothesis two = with(compare(Direction::different), SmallestEffect::Kind::sd, 0.5);
  CHECK(size_of(spec, two, 1, {}).record.replicates == 34);  // one sample, two tails
  spec.design.pairing = kernel::Pairing::none;
  CHECK(size_of(spec, h, 1, {}).record.replicates == 51);    // two samples, one tail
  CHECK(size_of(spec, two, 1, {}).record.replicates == 64);  // two samples, two tails
  const kernel::Size size = size_of(spec, two, 1, {});
  CHECK(size.wanted == 64);
  CHECK(size.record.power.value() >= 0.8);
  CHECK(*kernel::achieved_power(spec, two, 1, {}, 63) < 0.8);
  CHECK(newest_words(size.record.how).find("power 80") != std::string::npos);
}

TEST_CASE("the family's size lowers the level and raises the replicates") {
  const auto spec = open_study(3, 1000);
  const Hypothesis h = compare(Direction::less);
  CHECK(size_of(spec, h, 1, {}).record.replicates == 8);
  CHECK(size_of(spec, h, 20, {}).record.replicates > 15);
}

TEST_CASE("a study with looks is sized for its looks") {
  auto spec = open_study(3, 1000);
  const Hypothesis h = with(compare(Direction::less), SmallestEffect::Kind::sd, 0.2);
  const int without = size_of(spec, h, 1, {}).record.replicates;
  spec.design.looks = kernel::Looks{{0.25, 0.5, 0.75, 1}, false};
  const int with_looks = size_of(spec, h, 1, {}).record.replicates;
  CHECK(with_looks > without);
  // As many as a study without looks needs at the level of the last one.
  auto strict = open_study(3, 1000);
  strict.design.alpha = kernel::last_level(spec.design, spec.design.alpha, stats::Sides::one);
  CHECK(with_looks == size_of(strict, h, 1, {}).record.replicates);
}

TEST_CASE("an effect in the metric's unit is sized by Stein from the pilot's variance and degrees of freedom") {
  const auto spec = open_study(3, 1000);
  const Hypothesis h = with(compare(Direction::less), SmallestEffect::Kind::absolute, 1);
  CHECK(kernel::needs_pilot(spec, h));
  const kernel::Size size = size_of(spec, h, 1, pilot().values());
  const double q = stats::t_quantile(0.95, 4) + stats::t_quantile(0.8, 4);
  const int stein = static_cast<int>(std::ceil(q * q * 2.5)), n = size.record.replicates;
  CHECK(n >= stein);
  CHECK(n <= stein + 2);
  // The final test's own variance: P(noncentral t on the pilot's df <= sqrt(n) / sd) reaches 0.8 at n and not before.
  const auto fresh = [](int k) {
    return stats::noncentral_t_cdf(std::sqrt(k / 2.5), 4, stats::t_quantile(0.95, k - 1));
  };
  CHECK(fresh(n) >= 0.8);
  CHECK((fresh(n - 1) < 0.8 || n == stein));
  CHECK(*size.record.sd == Approx(std::sqrt(2.5)));
  CHECK(size.record.power.value() >= 0.8);
  CHECK(*kernel::achieved_power(spec, h, 1, pilot().values(), size.record.replicates - 1) < 0.8);
  // Relative to a control of 100 the same effect is 1 %.
  const Hypothesis r = with(compare(Direction::less), SmallestEffect::Kind::relative, 0.01);
  CHECK(size_of(spec, r, 1, pilot().values()).record.replicates == size.record.replicates);
  // A margin moves the boundary, not the distance from it.
  const Hypothesis m = with(compare(Direction::less, absolute(5)), SmallestEffect::Kind::absolute, 1);
  CHECK(size_of(spec, m, 1, pilot().values()).record.replicates == size.record.replicates);
}

TEST_CASE("a large effect never sizes a study below its pilot") {
  const auto spec = open_study(2, 1000);
  const Hypothesis h = with(compare(Direction::less), SmallestEffect::Kind::absolute, 50);
  CHECK(size_of(spec, h, 1, pilot().values()).record.replicates == 5);
}

TEST_CASE("equality and no harm are sized by the distance from equal arms to the margin") {
  const auto spec = open_study(3, 1000);
  CHECK(kernel::needs_pilot(spec, compare(Direction::equal, absolute(2))));
  const double both = stats::t_quantile(0.95, 4) + stats::t_quantile(0.9, 4);
  const int equal = size_of(spec, compare(Direction::equal, absolute(2)), 1, pilot().values()).record.replicates;
  CHECK(equal >= std::ceil(both * both * 2.5 / 4));
  CHECK(equal <= std::ceil(both * both * 2.5 / 4) + 4);
  const double one = stats::t_quantile(0.95, 4) + stats::t_quantile(0.8, 4);
  const int harmless = size_of(spec, compare(Direction::not_worse, absolute(2)), 1, pilot().values()).record.replicates;
  CHECK(harmless >= std::ceil(one * one * 2.5 / 4));
  CHECK(harmless <= std::ceil(one * one * 2.5 / 4) + 2);
  // Without a margin, no harm can only be shown by being better.
  CHECK_FALSE(kernel::needs_pilot(spec, compare(Direction::not_worse)));
}

TEST_CASE("a maximum that cannot buy the power says what it buys") {
  const auto spec = open_study(3, 6);
  const Hypothesis h = with(compare(Direction::less), SmallestEffect::Kind::absolute, 1);
  const kernel::Size size = size_of(spec, h, 1, pilot().values());
  CHECK(size.record.replicates == 6);
  CHECK(*size.wanted > 6);
  CHECK(size.record.power.value() < 0.8);
  CHECK(size.record.power.value() > 0);
  CHECK(newest_words(size.record.how).find("less than the 80 % asked for") != std::string::npos);
  CHECK_FALSE(size.refused);
  REQUIRE_FALSE(size.warnings.empty());
  const std::string warning = newest_words(size.warnings.back());
  CHECK(warning.find("the 6 replicates that `design.replicates` allows at most have power") == 0);
  CHECK(warning.find(fmt::format("{:.0f} would be needed", *size.wanted)) != std::string::npos);
}

TEST_CASE("a margin that no number of runs can show is said to be one") {
  const auto spec = open_study(3, 40);
  const kernel::Size size = size_of(spec, compare(Direction::equal, absolute(1e-7)), 1, pilot().values());
  CHECK_FALSE(size.wanted);
  CHECK(size.record.replicates == 40);
  CHECK(newest_words(size.record.how).find("not even 1000000 replicates are enough for equal arms") !=
        std::string::npos);
  REQUIRE_FALSE(size.warnings.empty());
  CHECK(newest_words(size.warnings.back()).find("no number of them is enough") != std::string::npos);
}

TEST_CASE("fixed replicates need no pilot and print the power they have") {
  auto spec = open_study(10, 10);
  const Hypothesis h = compare(Direction::less);
  CHECK_FALSE(kernel::needs_pilot(spec, with(h, SmallestEffect::Kind::absolute, 1)));
  kernel::Size size = size_of(spec, h, 1, {});
  CHECK(size.record.replicates == 10);
  CHECK(size.record.power.value() == Approx(0.8976).epsilon(1e-3));  // G*Power: d = 1, n = 10, one tail
  size = size_of(spec, with(h, SmallestEffect::Kind::absolute, 1), 1, {});
  CHECK(size.record.replicates == 10);
  CHECK_FALSE(size.record.power);  // not known before the data
  spec = open_study(3, 20);
  spec.design.settled = {{"H1", 7}};
  CHECK(size_of(spec, h, 1, {}).record.replicates == 7);
}

TEST_CASE("a design that can give no verdict is refused") {
  const Hypothesis h = compare(Direction::less);
  CHECK(size_of(open_study(1, 1), h, 1, {}).refused);
  CHECK_FALSE(size_of(open_study(1, 2), h, 1, {}).refused);
  CHECK(size_of(open_study(1, 2), h, 1, {}).record.replicates == 2);
  auto spec = open_study(1, 1);
  spec.metrics[0].deterministic = true;
  CHECK_FALSE(size_of(spec, h, 1, {}).refused);
  spec = synthetic::study(1, {synthetic::factor("n", {"1", "2"})});
  auto s = synthetic::slope(Direction::greater, 0);
  s.where = {{"arm", "t"}};
  CHECK(size_of(spec, s, 1, {}).refused);  // two points determine a line
  spec = synthetic::study(1, {synthetic::factor("n", {"1", "2", "4"})});
  CHECK(size_of(spec, s, 1, {}).refused);  // with pairing by seed, one seed has no error
  spec.design.pairing = kernel::Pairing::none;
  CHECK_FALSE(size_of(spec, s, 1, {}).refused);
  spec = open_study(5, 5);
  spec.excludes = {{{"arm", {"c"}}}};
  CHECK(size_of(spec, h, 1, {}).refused);
}

TEST_CASE("a pilot that says nothing of the variance leaves the maximum, and says so") {
  const auto spec = open_study(3, 12);
  const Hypothesis h = with(compare(Direction::less), SmallestEffect::Kind::absolute, 1);
  for (const double t : {100.0, 90.0}) {
    Runs constant;
    constant.add_all({{"arm", "t"}}, {t, t, t, t, t});
    constant.add_all({{"arm", "c"}}, {100, 100, 100, 100, 100});
    const kernel::Size size = size_of(spec, h, 1, constant.values());
    CHECK(size.record.replicates == 12);
    CHECK_FALSE(size.record.power);
    CHECK(newest_words(size.record.how).find("no variance") != std::string::npos);
  }
  CHECK(newest_words(size_of(spec, h, 1, {}).record.how).find("without a pilot") != std::string::npos);
}

TEST_CASE("what must hold in every setting needs more than what holds on average") {
  auto spec = synthetic::study(3, {synthetic::factor("data", {"a", "b", "c", "d"})});
  spec.design.replicates_min = 3;
  spec.design.replicates_max = 500;
  Hypothesis h = compare(Direction::less);
  const int average = size_of(spec, h, 1, {}).record.replicates;
  h.over = kernel::Over::every;
  CHECK(size_of(spec, h, 1, {}).record.replicates > average);
}

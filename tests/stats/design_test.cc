// Proportions, crossings, boundaries and nested units: published values, what they promise
// whatever the data, and what has no answer.

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "stats/basics/descriptive.h"
#include "stats/basics/distributions.h"
#include "stats/basics/random.h"
#include "stats/effects/interaction.h"
#include "stats/effects/proportions.h"
#include "stats/error_rates/corrections.h"
#include "stats/error_rates/sequential.h"

using Values = std::vector<double>;
using Units = std::vector<Values>;

namespace {
const double nan_value = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEST_CASE("Newcombe's intervals are those of his tables") {
  struct Row {
    stats::Share t, c;
    double low, high;
  };
  // Stat. Med. 17 (1998) 873, table II, method 10.
  for (const auto& [t, c, low, high] : {Row{{56, 70}, {48, 80}, 0.0524, 0.3339}, Row{{9, 10}, {3, 10}, 0.1705, 0.8090},
                                        Row{{6, 7}, {2, 7}, 0.0582, 0.8062}, Row{{5, 56}, {0, 29}, -0.0381, 0.1926},
                                        Row{{0, 10}, {0, 20}, -0.1611, 0.2775}, Row{{10, 10}, {0, 10}, 0.6075, 1}}) {
    const stats::Interval i = stats::interval(*stats::share_difference(t, c), 0.95);
    CHECK(std::abs(*i.low - low) < 6e-5);
    CHECK(std::abs(*i.high - high) < 6e-5);
  }
}

TEST_CASE("Newcombe's paired intervals are the published ones") {
  // Stat. Med. 17 (1998) 2635, method 10; Fagerland, Lydersen & Laake, Stat. Med. 33 (2014), airway responsiveness.
  const stats::Interval his = stats::interval(*stats::share_difference({36, 12, 2, 0}), 0.95);
  CHECK(std::abs(*his.low - 0.0569) < 6e-5);
  CHECK(std::abs(*his.high - 0.3404) < 6e-5);
  const stats::Interval theirs = stats::interval(*stats::share_difference({1, 1, 7, 12}), 0.95);
  CHECK(std::abs(*theirs.low + 0.507) < 6e-4);
  CHECK(std::abs(*theirs.high + 0.026) < 6e-4);
}

TEST_CASE("the p of a difference of proportions inverts its interval, and exchanging the arms mirrors it") {
  const auto d = stats::share_difference({7, 20}, {15, 25});
  const auto paired = stats::share_difference({12, 3, 9, 6}), swapped = stats::share_difference({12, 9, 3, 6});
  for (const auto& each : {*d, *paired}) {
    for (const double level : {0.5, 0.9, 0.99, 0.9999}) {
      const stats::Interval i = stats::interval(each, level);
      CHECK(stats::p_greater(each, *i.low) == Approx((1 - level) / 2).epsilon(1e-9));
      CHECK(stats::p_less(each, *i.high) == Approx((1 - level) / 2).epsilon(1e-9));
      CHECK(stats::p_less(each, *i.low) == Approx(1 - (1 - level) / 2).epsilon(1e-9));
    }
    CHECK(stats::p_greater(each, each.estimate) == 0.5);
    CHECK(stats::p_less(each, -1.5) == 1);
    CHECK(stats::p_greater(each, -1.5) == 0);
  }
  CHECK(stats::p_less(*paired) == Approx(stats::p_greater(*swapped)).epsilon(1e-12));
  CHECK(*stats::interval(*paired, 0.9).low == Approx(-*stats::interval(*swapped, 0.9).high).epsilon(1e-12));
  CHECK(stats::fisher_exact({7, 20}, {15, 25})->p.less ==
        Approx(stats::fisher_exact({15, 25}, {7, 20})->p.greater).epsilon(1e-12));
}

TEST_CASE("exact tests of proportions give the textbook's numbers, and stay probabilities for thousands of runs") {
  const auto tea = stats::fisher_exact({3, 4}, {1, 4});
  CHECK(tea->p.greater == Approx(17.0 / 70).epsilon(1e-12));
  CHECK(tea->two_sided == Approx(34.0 / 70).epsilon(1e-12));
  CHECK(stats::mcnemar_exact({5, 0, 5, 1})->p.less == Approx(1.0 / 32).epsilon(1e-12));
  CHECK(stats::mcnemar_exact({5, 0, 0, 1})->two_sided == 1);
  const auto many = stats::fisher_exact({0, 3000}, {3000, 3000});
  CHECK(many->p.less >= 0);
  CHECK(many->p.less < 1e-300);
  CHECK(many->p.greater == 1);
  CHECK(stats::mcnemar_exact({0, 1500, 1500, 0})->two_sided == 1);
}

TEST_CASE("proportions of nothing, or more than all, have no answer; all of both are alike") {
  CHECK_FALSE(stats::fisher_exact({0, 0}, {1, 2}));
  CHECK_FALSE(stats::fisher_exact({-1, 2}, {1, 2}));
  CHECK_FALSE(stats::mcnemar_exact({0, 0, 0, 0}));
  CHECK_FALSE(stats::share_difference({1, 2}, {0, 0}));
  CHECK_FALSE(stats::share_difference({0, -1, 1, 0}));
  CHECK(stats::two_sided({stats::p_less(*stats::share_difference({5, 5}, {5, 5})),
                          stats::p_greater(*stats::share_difference({5, 5}, {5, 5}))}) == 1);
  CHECK(stats::two_sided({stats::p_less(*stats::share_difference({4, 0, 0, 0})),
                          stats::p_greater(*stats::share_difference({4, 0, 0, 0}))}) == 1);
}

TEST_CASE("false discovery rates keep the order of p and need no correction for one test") {
  CHECK(stats::benjamini_hochberg(Values{}).empty());
  CHECK(stats::benjamini_hochberg(Values{0.03}) == Values{0.03});
  const Values adjusted = stats::benjamini_hochberg(Values{0.04, 0.01, 0.03, 1});
  CHECK(adjusted[1] == Approx(0.04));
  CHECK(adjusted[0] == Approx(0.16 / 3));
  CHECK(adjusted[2] == Approx(0.16 / 3));
  CHECK(adjusted[3] == 1);
}

TEST_CASE("two levels cross by the larger of their two p, more levels by Bonferroni, and order decides the way") {
  const std::vector<stats::OneSided> two{{0.01, 0.99}, {0.97, 0.03}};
  const auto rising = stats::crossover(two, stats::Crossing::rising);
  CHECK(rising->p == 0.03);
  CHECK(rising->negative == 0);
  CHECK(rising->positive == 1);
  CHECK(stats::crossover(two, stats::Crossing::falling)->p == 0.99);
  CHECK(stats::crossover(two, stats::Crossing::either)->p == 0.06);
  const std::vector<stats::OneSided> back{two[1], two[0]};
  CHECK(stats::crossover(back, stats::Crossing::falling)->p == 0.03);
  const std::vector<stats::OneSided> three{{0.01, 0.99}, {0.5, 0.5}, {0.97, 0.03}};
  CHECK(stats::crossover(three, stats::Crossing::rising)->p == Approx(0.06));
  CHECK(*stats::no_crossing(two, stats::Crossing::falling) == Approx(0.09));  // Three patterns; − + is the best.
  CHECK(*stats::no_crossing(two, stats::Crossing::rising) == 1);
  CHECK(*stats::no_crossing(two, stats::Crossing::either) == 1);
  CHECK_FALSE(stats::crossover(std::vector<stats::OneSided>{{0.01, 0.99}}, stats::Crossing::either));
  CHECK_FALSE(stats::no_crossing(std::vector<stats::OneSided>{{0.01, 0.99}}, stats::Crossing::either));
  CHECK_FALSE(stats::crossover(std::vector<stats::OneSided>{{0.01, 0.99}, {nan_value, 0.5}}, stats::Crossing::either));
}

TEST_CASE("sequential boundaries are those of the published tables") {
  const Values fifths{0.2, 0.4, 0.6, 0.8, 1};
  const Values obrien_fleming{4.8769, 3.3569, 2.6803, 2.2898, 2.0310};
  const Values pocock{2.4380, 2.4268, 2.4101, 2.3966, 2.3859};
  // Reboussin, DeMets, Kim & Lan, "Computations for group sequential boundaries", Control. Clin. Trials 21 (2000).
  const auto of = stats::alpha_spending(fifths, 0.05, stats::Sides::two);
  const auto p = stats::alpha_spending(fifths, 0.05, stats::Sides::two, stats::SpendingFunction::pocock);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(std::abs((*of)[i].critical - obrien_fleming[i]) < 2e-4);
    CHECK(std::abs((*p)[i].critical - pocock[i]) < 2e-4);
    CHECK((*of)[i].nominal_p == Approx(2 * stats::normal_cdf(-(*of)[i].critical)).epsilon(1e-12));
    CHECK((*of)[i].level == Approx(1 - (*of)[i].nominal_p).epsilon(1e-12));
  }
}

TEST_CASE("one look is the plain test, and looks beyond reason have no boundaries") {
  const auto one = stats::alpha_spending(Values{1}, 0.05, stats::Sides::one);
  CHECK(one->front().nominal_p == Approx(0.05).epsilon(1e-12));
  CHECK(one->front().level == Approx(0.9).epsilon(1e-12));
  CHECK_FALSE(stats::alpha_spending(Values{}, 0.05, stats::Sides::one));
  CHECK_FALSE(stats::alpha_spending(Values{0.5, 0.5}, 0.05, stats::Sides::one));
  CHECK_FALSE(stats::alpha_spending(Values{0.5, 1.1}, 0.05, stats::Sides::one));
  CHECK_FALSE(stats::alpha_spending(Values{0, 1}, 0.05, stats::Sides::one));
  CHECK_FALSE(stats::alpha_spending(Values{nan_value}, 0.05, stats::Sides::one));
  CHECK_FALSE(stats::alpha_spending(Values{1}, 0, stats::Sides::one));
  CHECK_FALSE(stats::alpha_spending(Values{1}, 0.6, stats::Sides::one));
  const auto early = stats::alpha_spending(Values{0.001, 0.5, 1}, 0.0025, stats::Sides::two);
  CHECK(early->front().nominal_p == 0);
  CHECK(early->front().level == 1);
  const auto plain = stats::alpha_spending(Values{0.5, 1}, 0.0025, stats::Sides::two);
  CHECK(early->back().critical == Approx(plain->back().critical).epsilon(1e-9));
}

TEST_CASE("the level at which a look stops is never below its p, and is 1 where none would do") {
  const Values half{0.5};
  // 2(1 − Φ(√½·Φ⁻¹(1 − p/2))) inverted: of one early look the spending function itself.
  const double p = stats::spent(stats::SpendingFunction::obrien_fleming, 0.5, 0.05);
  CHECK(*stats::sequential_p(half, p, stats::Sides::one) == Approx(0.05).epsilon(1e-9));
  CHECK(*stats::sequential_p(Values{1}, 0.03, stats::Sides::one) == Approx(0.03).epsilon(1e-9));
  double before = 0;
  for (const double at : {1e-300, 1e-60, 1e-9, 0.001, 0.01, 0.1, 0.4}) {
    const double level = *stats::sequential_p(Values{0.25, 0.5}, at, stats::Sides::two);
    CHECK(level >= at);
    CHECK(level >= before);
    before = level;
  }
  CHECK(*stats::sequential_p(half, 0.9, stats::Sides::one) == 1);
  CHECK_FALSE(stats::sequential_p(Values{0.5, 0.5}, 0.01, stats::Sides::one));
}

TEST_CASE("looking at all its boundaries a test without effect stops as often as alpha says") {
  const Values fractions{0.3, 0.45, 0.8, 1};
  for (const stats::Sides sides : {stats::Sides::one, stats::Sides::two}) {
    const auto looks = stats::alpha_spending(fractions, 0.1, sides);
    stats::Xoshiro random(21);
    int stopped = 0;
    for (int i = 0; i < 20000; ++i) {
      double place = 0, before = 0;
      for (const stats::Look& look : *looks) {
        place += std::sqrt(look.fraction - before) * random.normal();
        before = look.fraction;
        const double z = place / std::sqrt(look.fraction);
        if ((sides == stats::Sides::two ? std::abs(z) : z) < look.critical) continue;
        ++stopped;
        break;
      }
    }
    CHECK(std::abs(stopped - 2000) < 170);  // 4 standard deviations
  }
}

TEST_CASE("variance splits into between and within, or into nothing where there is none") {
  const auto all_between = stats::variance_components(Units{{1, 1}, {3, 3}, {8, 8}});
  CHECK(all_between->within == 0);
  CHECK(all_between->intraclass == 1.0);
  CHECK(all_between->between == Approx(13));
  const auto all_within = stats::variance_components(Units{{1, 3}, {1, 3}, {3, 1}});
  CHECK(all_within->between == 0);
  CHECK(all_within->intraclass == 0.0);
  CHECK(all_within->within == Approx(2));
  CHECK_FALSE(stats::variance_components(Units{{0.1, 0.1}, {0.1, 0.1, 0.1}})->intraclass);
  CHECK_FALSE(stats::variance_components(Units{{1, 2, 3}}));
  CHECK_FALSE(stats::variance_components(Units{{1}, {2}, {3}}));
  CHECK_FALSE(stats::variance_components(Units{{1, 2}, {}}));
  CHECK_FALSE(stats::variance_components(Units{{1, 2}, {nan_value, 1}}));
}

// Proportions, crossings, boundaries and nested units against SciPy or the named other route.

#include "stats/basics/descriptive.h"
#include "stats/effects/interaction.h"
#include "stats/effects/proportions.h"
#include "stats/error_rates/corrections.h"
#include "stats/error_rates/sequential.h"
#include "tests/stats/oracle.h"

using nlohmann::json;
using oracle::agree;
using Values = std::vector<double>;

TEST_CASE("proportions agree with SciPy's exact tests, and with Newcombe's formulas") {
  int inverted = 0;
  for (const json& k : oracle::cases("proportions")) {
    CAPTURE(k.dump());
    std::optional<stats::ShareTest> test;
    std::optional<stats::ShareDifference> d;
    if (k["paired"]) {
      const stats::PairedShares pairs{k["cells"][0], k["cells"][1], k["cells"][2], k["cells"][3]};
      test = stats::mcnemar_exact(pairs);
      d = stats::share_difference(pairs);
    } else {
      const stats::Share t{k["t"][0], k["t"][1]}, c{k["c"][0], k["c"][1]};
      test = stats::fisher_exact(t, c);
      d = stats::share_difference(t, c);
    }
    REQUIRE((test && d));
    CHECK(agree(test->p.less, k["less"]));
    CHECK(agree(test->p.greater, k["greater"]));
    CHECK(agree(test->two_sided, k["two"]));
    const double level = k["level"];
    CHECK(agree(d->phi, k["phi"], 1e-9, 1e-3));
    const stats::Interval i = stats::interval(*d, level);
    CHECK(agree(i.low, k["low"], 1e-9, 1e-2));
    CHECK(agree(i.high, k["high"], 1e-9, 1e-2));
    if (!k["p_at"].is_null()) {
      CHECK(agree(stats::p_greater(*d, k["at"]), k["p_at"], 1e-8));
      ++inverted;
    }
  }
  CHECK(inverted > 100);
}

TEST_CASE("intervals of one proportion agree with Wilson's of SciPy and statsmodels") {
  for (const json& k : oracle::cases("share_intervals")) {
    CAPTURE(k.dump());
    const stats::Interval i = stats::share_interval({k["k"], k["n"]}, k["level"]);
    CHECK(agree(i.low, k["low"], 1e-9, 1e-3));
    CHECK(agree(i.high, k["high"], 1e-9, 1e-3));
  }
}

TEST_CASE("contrasts and ratios of proportions agree with Zou and Donner's formula, and with roots of its ends") {
  for (const json& k : oracle::cases("share_contrasts")) {
    CAPTURE(k.dump());
    const auto d =
        k["paired"]
            ? stats::share_difference(stats::PairedShares{k["cells"][0], k["cells"][1], k["cells"][2], k["cells"][3]})
            : stats::share_difference(stats::Share{k["t"][0], k["t"][1]}, {k["c"][0], k["c"][1]});
    const stats::ShareDifference contrast = stats::share_contrast(*d, k["ratio"]);
    CHECK(agree(contrast.estimate, k["estimate"], 1e-9, 1e-3));
    const stats::Interval i = stats::interval(contrast, k["level"]);
    CHECK(agree(i.low, k["low"], 1e-9, 1e-2));
    CHECK(agree(i.high, k["high"], 1e-9, 1e-2));
    const stats::Interval ratio = stats::share_ratio_interval(*d, k["level"]);
    CHECK(agree(ratio.low, k["ratio_low"], 1e-9, 1e-6));
    CHECK(agree(ratio.high, k["ratio_high"], 1e-9, 1e-6));
  }
}

TEST_CASE("false discovery rates agree with the step-up procedure tried at every rate") {
  for (const json& k : oracle::cases("benjamini_hochberg")) {
    const std::vector<double> adjusted = stats::benjamini_hochberg(k["p"].get<Values>());
    REQUIRE(adjusted.size() == k["adjusted"].size());
    for (std::size_t i = 0; i < adjusted.size(); ++i) CHECK(agree(adjusted[i], k["adjusted"][i]));
  }
}

TEST_CASE("crossings agree with the union of their null hypotheses") {
  for (const json& k : oracle::cases("crossings")) {
    CAPTURE(k.dump());
    std::vector<stats::OneSided> levels;
    for (std::size_t i = 0; i < k["less"].size(); ++i) levels.push_back({k["less"][i], k["greater"][i]});
    CHECK(agree(stats::crossover(levels, stats::Crossing::rising)->p, k["rising"]));
    CHECK(agree(stats::crossover(levels, stats::Crossing::falling)->p, k["falling"]));
    CHECK(agree(stats::crossover(levels, stats::Crossing::either)->p, k["either"]));
    CHECK(agree(*stats::no_crossing(levels, stats::Crossing::rising), k["no_rising"]));
    CHECK(agree(*stats::no_crossing(levels, stats::Crossing::falling), k["no_falling"]));
    CHECK(agree(*stats::no_crossing(levels, stats::Crossing::either), k["no_either"]));
  }
}

TEST_CASE("sequential boundaries agree with another quadrature of the same recursion") {
  for (const json& k : oracle::cases("sequential")) {
    CAPTURE(k.dump());
    const Values fractions = k["fractions"];
    const auto looks = stats::alpha_spending(
        fractions, k["alpha"], k["sides"] == 2 ? stats::Sides::two : stats::Sides::one,
        k["kind"] == "pocock" ? stats::SpendingFunction::pocock : stats::SpendingFunction::obrien_fleming);
    REQUIRE((looks && looks->size() == fractions.size()));
    for (std::size_t i = 0; i < fractions.size(); ++i) CHECK(agree((*looks)[i].critical, k["critical"][i]));
    CHECK(agree(looks->back().spent, k["spent"]));
    // A test that stops exactly at the boundary stops at this level and no smaller one.
    const auto sides = k["sides"] == 2 ? stats::Sides::two : stats::Sides::one;
    const auto kind = k["kind"] == "pocock" ? stats::SpendingFunction::pocock : stats::SpendingFunction::obrien_fleming;
    CHECK(agree(*stats::sequential_p(fractions, looks->back().nominal_p, sides, kind), k["alpha"], 1e-8));
  }
}

TEST_CASE("the variance of nested units agrees with sums of squares in fractions") {
  int separated = 0;
  for (const json& k : oracle::cases("nested")) {
    CAPTURE(k.dump());
    const auto parts = stats::variance_components(k["t"].get<std::vector<Values>>());
    CHECK(parts.has_value() == !k["between"].is_null());
    if (!parts) continue;
    ++separated;
    CHECK(agree(parts->between, k["between"], 1e-9, parts->within));
    CHECK(agree(parts->within, k["within"]));
    CHECK(agree(parts->intraclass, k["intraclass"], 1e-9, 1e-3));
  }
  CHECK(separated > 150);
}

TEST_CASE("the power of tests of shares agrees with all outcomes listed by SciPy") {
  for (const json& k : oracle::cases("share_powers")) {
    const stats::ShareQuestion question{k["ratio"], k["shift"], k["less"], k["alpha"]};
    CAPTURE(k.dump());
    CHECK(agree(stats::share_power(k["t"], k["c"], question, k["n"], k["paired"]), k["power"], 1e-9, 1e-3));
  }
}

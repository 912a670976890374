// Error rates of whole searches, from the plan to the confirmation's verdicts, by simulation with fixed seeds. Bounds
// are the nominal rate and 3.3 standard errors of the simulation.

#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>

#include "tests/kernel/search/search_driver.h"
#include "tests/rounds.h"

namespace simulated_searches {

using kernel::Cell;
using kernel::Purpose;
using kernel::StudyKind;
using synthetic::factor;

namespace {

constexpr int studies = tests::rounds(400);
constexpr double level = 0.05;
const double bound = level + 3.3 * std::sqrt(level * (1 - level) / studies);

kernel::Factor based(kernel::Factor f) {
  f.baseline = f.levels.front().name;
  return f;
}

kernel::StudySpec optimisation(int budget) {
  kernel::StudySpec spec = driver::search(
      StudyKind::optimize, {based(factor("x", {"1", "2", "3", "4"})), based(factor("y", {"a", "b", "c"}))});
  spec.budget.runs = budget;
  return spec;
}

/// Seeds matter as much as anything, so that pairing has something to do.
double nothing(const Cell& cell, std::uint64_t seed, std::uint64_t study) {
  return driver::noise({}, seed, study) + driver::noise(cell, seed, study);
}

struct Rates {
  int supported = 0, refuted = 0, confirmed = 0;
  double selected = 0;         ///< What selection said the best was better by.
  std::vector<double> excess;  ///< Of the confirmation's effect over the truth.
};

Rates simulate(const kernel::StudySpec& spec, const std::function<double(const Cell&)>& truth) {
  Rates rates;
  for (int i = 0; i < studies; ++i) {
    const auto study_seed = static_cast<std::uint64_t>(i) + 1;
    kernel::StudySpec own = spec;
    own.seed = study_seed;
    driver::Driver d(own, [&](const Cell& cell, std::uint64_t seed, Purpose) {
      return truth(cell) + nothing(cell, seed, study_seed);
    });
    const kernel::Study& study = d.run();
    REQUIRE(study.outcome == kernel::StudyOutcome::concluded);
    bool supported = false, refuted = false;
    for (const auto& record : study.hypotheses) {
      REQUIRE(record.result);
      supported = supported || record.result->verdict == kernel::Verdict::supported;
      refuted = refuted || record.result->verdict == kernel::Verdict::refuted;
    }
    rates.supported += supported;
    rates.refuted += refuted;
    const kernel::Hypothesis& h = study.hypotheses.front().hypothesis;
    Cell treatment = h.treatment, control = h.control;
    treatment.insert(h.where.begin(), h.where.end());
    control.insert(h.where.begin(), h.where.end());
    rates.excess.push_back(*study.hypotheses.front().result->effect - (truth(treatment) - truth(control)));
    if (spec.kind != StudyKind::optimize) continue;
    std::optional<double> best, baseline;
    for (const auto& c : study.search->ranked.back().candidates) {
      if (c.baseline) baseline = c.mean;
      if (!c.baseline && !best) best = c.mean;
    }
    rates.selected += (*best - *baseline) / studies;
  }
  return rates;
}

struct Summary {
  double mean = 0, se = 0;
};
Summary summary(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

}  // namespace

TEST_CASE("where nothing matters, the best of an optimisation is confirmed no more often than alpha") {
  const Rates rates = simulate(optimisation(70), [](const Cell&) { return 0.0; });
  INFO(rates.supported << " of " << studies << " supported, " << rates.refuted << " refuted; selection saw "
                       << rates.selected);
  CHECK(rates.supported <= bound * studies);
  // Selection sees an effect that is not there, the confirmation does not.
  CHECK(rates.selected < -0.3);
  const Summary s = summary(rates.excess);
  CHECK(std::abs(s.mean) < 3.3 * s.se);
}

TEST_CASE("a planted best is found and confirmed, and the confirmation's effect is not biased by the selection") {
  const Rates rates = simulate(
      optimisation(160), [](const Cell& cell) { return cell.at("x") == "3" && cell.at("y") == "b" ? -4.0 : 0.0; });
  INFO(rates.supported << " of " << studies << " supported");
  CHECK(rates.supported >= 0.95 * studies);
  CHECK(rates.refuted <= bound * studies);
  const Summary s = summary(rates.excess);
  CHECK(std::abs(s.mean) < 3.3 * s.se);
}

}  // namespace simulated_searches

#pragma once
// What the runs show about one hypothesis, before the family decides: effect, error, p-values and measured values per
// cell. Other hypotheses and alpha have no influence. Pure; any thread; estimates own all they hold.

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/inference/setting_summaries.h"
#include "kernel/inference/test_method.h"

namespace kernel {

struct RequiredPart;

struct Estimate {
  HypothesisId hypothesis;
  std::vector<Test> tests;  ///< Empty if nothing can be tested; one per level for a crossover.
  std::size_t weakest = 0;  ///< The test with the largest p, whose numbers the hypothesis reports.
  PValues p;                ///< Of the hypothesis: all its tests and requirements.
  PValues own;              ///< Of its own tests only.
  std::vector<RequiredPart> required;
  std::optional<stats::Crossover> crossing;  ///< For a crossover, the tests that show it best.
  std::optional<double> effect;              ///< Without tests, the plain difference of measured values.
  std::array<int, 2> n = {0, 0}, failed = {0, 0}, unusable = {0, 0};  ///< Runs: treatment, control.
  int units = 0;                                                      ///< Pairs, runs of the smallest cell, or points.
  /// Units of the test in each arm (the fewest of several tests), and runs with a value that no unit holds.
  std::array<int, 2> arm_units = {0, 0}, left_out = {0, 0};
  std::vector<SettingSummary> settings;
  std::vector<Reason> warnings;
  Reason obstacle;  ///< Why the verdict is inconclusive whatever the numbers; empty if there is no such reason.
};

/// One requirement: a hypothesis with the same arms about another metric.
struct RequiredPart {
  Hypothesis about;
  Estimate estimate;
};

/// Estimates a hypothesis without its requirements. Unusable runs are an obstacle. Failed runs are one if they exceed
/// `max_failed` or cannot be ranked. The other runs are estimated in any case.
Estimate estimate(const StudySpec&, const Hypothesis&, std::span<const RunValue>);

/// A requirement as a hypothesis with the same arms, tested by the automatic method for its metric.
Hypothesis requirement_of(const Hypothesis&, const Requirement&);

/// The runs with their values of one metric.
using RunsOf = std::function<std::span<const RunValue>(const std::string& metric)>;
/// Estimates a hypothesis with its requirements: it holds if its own test and every requirement holds (see `in_every`).
Estimate estimate_whole(const StudySpec&, const Hypothesis&, const RunsOf&);

/// The effects in the settings that a hypothesis averages over.
struct InSettings {
  std::vector<SettingResult> results;
  std::optional<Heterogeneity> spread;  ///< None if units are blocks, or if a setting has no error.
};
/// Each is estimated by the hypothesis's own method from that setting alone. Intervals are at 95 %, none if units are
/// blocks. Verdicts do not use them. Empty if there is one setting, if every setting is tested separately, or if there
/// are more than a page holds.
InSettings in_settings(const StudySpec&, const Hypothesis&, std::span<const RunValue>);

}  // namespace kernel

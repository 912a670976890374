#pragma once
// What the runs say about one hypothesis, before the family decides: effect, error, p-values, and per cell what was
// measured. It knows no other hypothesis and no alpha. Pure; any thread; estimates own all they hold.

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/inference/setting_summaries.h"
#include "kernel/inference/test_method.h"
#include "stats/effects/interaction.h"

namespace kernel {

struct RequiredPart;

struct Estimate {
  std::string hypothesis;
  std::vector<Test> tests;  ///< Empty when nothing can be tested. Of a crossover one per level.
  std::size_t weakest = 0;  ///< The test with the largest p: what the hypothesis as a whole reports.
  PValues p;                ///< Of the hypothesis: all tests together, and all that it requires.
  PValues own;              ///< Of its own tests alone.
  std::vector<RequiredPart> required;
  std::optional<stats::Crossover> crossing;  ///< Of a crossover: the tests that show it best.
  std::optional<double> effect;              ///< Without tests still the plain difference of what was measured.
  std::array<int, 2> n = {0, 0}, failed = {0, 0}, unusable = {0, 0};  ///< Runs: treatment, control.
  int units = 0;  ///< Pairs, or runs of the smallest cell, or points.
  std::vector<SettingSummary> settings;
  std::vector<Reason> warnings;
  Reason obstacle;  ///< Why the verdict is inconclusive whatever the numbers; empty: nothing stands against one.
};

/// One requirement: a hypothesis on the same arms about another metric.
struct RequiredPart {
  Hypothesis about;
  Estimate estimate;
};

/// Unusable runs are an obstacle, and so are failed ones where they are more than `max_failed` or cannot be ranked;
/// what the others say is estimated all the same. Without what it requires.
Estimate estimate(const StudySpec&, const Hypothesis&, std::span<const RunValue>);

/// A requirement as a hypothesis: between the same arms, by the method that its metric calls for.
Hypothesis requirement_of(const Hypothesis&, const Requirement&);

/// The runs with their values of one metric.
using RunsOf = std::function<std::span<const RunValue>(const std::string& metric)>;
/// With what it requires: it holds where its own test and every requirement holds (see `in_every`).
Estimate estimate_whole(const StudySpec&, const Hypothesis&, const RunsOf&);

/// The effect in each setting that a hypothesis averages over, by its own method, each setting as if it were all;
/// intervals at 95 %, none where units are blocks. No verdict looks at them. Empty where there is one setting, where
/// every one is tested by itself, and where there are more than a page holds.
std::vector<SettingResult> setting_results(const StudySpec&, const Hypothesis&, std::span<const RunValue>);

}  // namespace kernel

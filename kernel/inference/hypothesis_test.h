#pragma once
// One hypothesis's tests as values: the sample, the region it is tested against, and what they say. Estimates own all
// they hold. Pure; any thread.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernel/evidence/observations.h"
#include "kernel/inference/hypothesis_region.h"
#include "kernel/inference/verdict.h"
#include "stats/effects/interaction.h"

namespace kernel {

/// One sample held against the hypothesised region. All but `average` over the crossed cells has one per setting.
struct Test {
  Cell setting;  ///< The levels it is about; empty: all settings together.
  HypothesisKind kind = HypothesisKind::compare;
  bool log = false;    ///< The sample holds logarithms; `effect` is the difference of geometric means.
  bool exact = false;  ///< Compared without error; no p-value is shown.
  bool rank = false;   ///< By ranks: effects are Hodges and Lehmann's.
  bool share = false;  ///< By how many runs succeeded.
  bool open = false;   ///< By ranks: `effect` is bounded on one side only, and is that end.
  Sample sample;
  Region region;
  Scales scales;
  PValues p;                              ///< With failed runs also under `worst_case`: the larger ones.
  std::optional<PValues> survivors;       ///< Of the runs that succeeded alone, where others failed.
  double effect = 0;                      ///< Treatment − control in the metric's unit; of a slope the slope.
  std::optional<double> effect_relative;  ///< Treatment / control − 1; of a slope slope / value − 1.
  bool tested = false;                    ///< Not exact, and the sample varies: it has p-values.
  std::optional<double> standard_error;   ///< Of `effect`; none without variance.
  std::optional<double> df;
  std::optional<double> sd;  ///< Of the test's unit (see `unit_sd`) at the region's first boundary.

  /// Two-sided, brackets `effect`. Where `log`: the ratio's interval times the control's geometric mean. Without ends
  /// when the sample did not vary.
  stats::Interval interval(double level) const;
  /// The same for `effect_relative`: Fieller's, exact where `log`.
  stats::Interval relative_interval(double level) const;
  /// BCa replicates of the effect (of the logarithmic ratio where `log`): 2000, fewer above 1000 values, none above
  /// 2000 values, where they add nothing but time, and none of ranks. Seeded: the same on every machine.
  std::optional<stats::Bootstrap> bootstrap(std::uint64_t seed) const;
  /// The bootstrap's interval in the unit of `effect`.
  stats::Interval bootstrap_interval(const stats::Bootstrap&, double level) const;
};

struct ArmSummary {
  int n = 0, failed = 0, unusable = 0;  ///< Runs with a value, that failed, whose value is no finite number.
  std::optional<double> mean, sd, median;
};

/// Heterogeneity: each setting of the crossed factors by itself.
struct SettingSummary {
  Cell levels;
  ArmSummary treatment, control;  ///< Slopes: all runs are `treatment`.
  std::optional<double> effect;
};

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
  std::vector<std::string> warnings;
  std::string obstacle;  ///< Why the verdict is inconclusive whatever the numbers; empty: nothing stands against one.
};

/// One requirement: a hypothesis on the same arms about another metric.
struct RequiredPart {
  Hypothesis about;
  Estimate estimate;
};

/// Sets p-values, effects, errors and `tested` of a test whose sample, region and method are set.
void fill_in(Test&);

}  // namespace kernel

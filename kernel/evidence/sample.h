#pragma once
// The data of one test, reduced to its units: seeds, runs of independent cells, points of a line, or plain numbers that
// are compared exactly. Verdicts are computed from boundaries. Pure; any thread.

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "kernel/domain/reason.h"
#include "kernel/evidence/observations.h"
#include "stats/basics/contrast.h"
#include "stats/effects/bootstrap.h"
#include "stats/effects/regression.h"

namespace kernel {

/// A line in the plane of the arms' means: t − ratio·c − shift = 0. For a slope, t is the slope, c the reference value.
struct Boundary {
  double ratio = 1;
  double shift = 0;
};

/// Deterministic metrics: no units, no error.
struct ExactSample {
  double treatment = 0, control = 0;
};

/// One pair per seed, each the mean over the arm's cells.
struct PairedSample {
  std::vector<double> treatment, control;
  /// Per pair: true if the value is censored. Empty if the test takes no censored values.
  std::vector<char> treatment_cut, control_cut;
};

/// Independent runs, at least two per cell. An arm is `scale` times the mean of its cells.
struct CellSample {
  double scale = 1;
  std::vector<std::vector<double>> treatment, control;
  std::vector<stats::Moments> treatment_moments, control_moments;
  std::vector<char> treatment_cut, control_cut;  ///< As for pairs, of the only cell of each arm.
};

/// Lines, one per setting, with their fit.
struct LineSample {
  std::vector<std::vector<stats::Point>> lines;
  /// With pairing by seed: the slope of each seed, averaged over the lines. Then seeds are the units and `fit` is
  /// theirs, because the runs of a seed may share its effect.
  std::vector<double> per_seed;
  stats::SlopeFit fit;
  double reference = 0;   ///< The reference value for the slope.
  double replicates = 1;  ///< Mean number of runs per point of the design.
};

using Sample = std::variant<ExactSample, PairedSample, CellSample, LineSample>;

/// The contrast t − ratio·c − shift. Exact samples have no standard error, and rounding errors count as equality.
std::optional<stats::Contrast> contrast(const Sample&, const Boundary&);

struct ArmMeans {
  double treatment = 0, control = 0;
};
ArmMeans arm_means(const Sample&);

/// Variance of the contrast with one replicate; n replicates have a standard error of √(this / n).
double replicate_variance(const Sample&, const Boundary&);
/// The unit of `smallest_effect: {sd: k}`: the standard deviation of the paired differences t − ratio·c, of runs
/// pooled over the independent cells, or of the slope from one replicate of the whole design.
double unit_sd(const Sample&, const Boundary&);
/// Fieller's confidence interval of the ratio of treatment to control; an end is absent if it is unbounded.
stats::Interval ratio_interval(const Sample&, double level);
/// The samples that the bootstrap of the effect resamples; empty for exact samples.
std::vector<stats::WeightedSample> resampled(const Sample&);

/// Observed cells, reduced to the units of a test by the rules of its method.
struct Units {
  std::optional<Sample> sample;
  Reason obstacle;     ///< Why the sample allows no verdict, or why there is no sample; empty if it allows one.
  int incomplete = 0;  ///< Seeds of both arms left out of the pairs because a cell lacks them.
};

/// `settings`: all of them, or one for `over: every`.
Units units_of(const StudySpec&, const Hypothesis&, std::span<const Setting> settings, const UnitRules&);

}  // namespace kernel

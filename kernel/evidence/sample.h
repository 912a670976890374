#pragma once
// The data of one test, reduced to its units: seeds, runs of independent cells, points of a line, or plain numbers that
// are compared exactly. Everything a verdict needs is asked through boundaries. Pure; any thread.

#include <optional>
#include <variant>
#include <vector>

#include "stats/basics/contrast.h"
#include "stats/effects/bootstrap.h"
#include "stats/effects/regression.h"

namespace kernel {

/// A straight line through the plane of the two arms' means: t − ratio·c − shift = 0. For a slope, t is the slope and c
/// the number it is compared with.
struct Boundary {
  double ratio = 1;
  double shift = 0;
};

/// Deterministic metrics: no unit, no error.
struct ExactSample {
  double treatment = 0, control = 0;
};

/// One pair per seed, each the mean over the arm's cells.
struct PairedSample {
  std::vector<double> treatment, control;
  /// By pair: the value is at least this. Empty where the test holds no such values.
  std::vector<char> treatment_cut, control_cut;
};

/// Independent runs; every cell has at least two. An arm is `scale` times the mean of its cells.
struct CellSample {
  double scale = 1;
  std::vector<std::vector<double>> treatment, control;
  std::vector<stats::Moments> treatment_moments, control_moments;
  std::vector<char> treatment_cut, control_cut;  ///< As of pairs, of the only cell of each arm.
};

/// Lines, one per setting, with their fit.
struct LineSample {
  std::vector<std::vector<stats::Point>> lines;
  /// Where several lines share their seeds: each seed's slope, the mean over its lines. Then the seeds are the units,
  /// and `fit` is theirs: what a seed does to one line it may do to all.
  std::vector<double> per_seed;
  stats::SlopeFit fit;
  double reference = 0;   ///< What the slope is compared with.
  double replicates = 1;  ///< Mean number of runs per point of the design.
};

using Sample = std::variant<ExactSample, PairedSample, CellSample, LineSample>;

/// The contrast t − ratio·c − shift. Exact samples have no standard error, and rounding counts as equality.
std::optional<stats::Contrast> contrast(const Sample&, const Boundary&);

struct ArmMeans {
  double treatment = 0, control = 0;
};
ArmMeans arm_means(const Sample&);

/// Variance of the contrast with one replicate; n replicates have a standard error of √(this / n).
double replicate_variance(const Sample&, const Boundary&);
/// The standard deviation that `smallest_effect: {sd: k}` counts in: of the paired differences t − ratio·c, pooled over
/// the independent cells, or of the slope that one replicate of the whole design gives.
double unit_sd(const Sample&, const Boundary&);
/// Confidence interval of treatment over control, by Fieller; without ends where nothing bounds it.
stats::Interval ratio_interval(const Sample&, double level);
/// What the bootstrap of the effect resamples; empty for exact samples.
std::vector<stats::WeightedSample> resampled(const Sample&);

}  // namespace kernel

#pragma once
// Rank tests of censored times, at any shift and ratio between two arms, and the estimates and intervals that follow by
// inverting them. All assume that censoring does not depend on the arm, as with one limit for all runs. Pure; any
// thread.

#include <optional>
#include <span>

#include "stats/basics/contrast.h"

namespace stats {

/// The end of a run at `time` or, if `censored`, at an unknown later time. Infinite if it never ended, which is later
/// than any censored time.
struct Duration {
  double time = 0;
  bool censored = false;
};

// In both tests `less` is p of "the treatment does not end earlier" against "it does". Both p are 1 if nothing can be
// compared, as when all are censored. None if an arm is empty or a time is not a number.

/// Gehan, "A generalized Wilcoxon test for comparing arbitrarily singly-censored samples", Biometrika 52 (1965). Each
/// time scores +1 for every other one that surely ended before, −1 for every one that surely ended after it; a time
/// censored at t ends after one that ended at t. Given the scores, their labels are exchangeable: exact up to n_t·n_c =
/// 900, else normal with the permutation variance of Mantel, "Ranking procedures for arbitrarily restricted
/// observation", Biometrics 23 (1967), and a correction of half a pair. Without censoring it equals Mann & Whitney's
/// test.
std::optional<OneSided> gehan(std::span<const Duration> treatment, std::span<const Duration> control);

/// For pairs: the difference of the two Gehan scores among all 2n times, whose sign is a fair coin. O'Brien & Fleming,
/// "A paired Prentice–Wilcoxon test for censored paired data", Biometrics 43 (1987), with Gehan's scores (whole
/// numbers) instead of Prentice's; the two agree if all are censored at one limit. Exact up to 50 pairs, else normal
/// with variance Σ difference² and no correction. Assumes that both of a pair are censored alike. None unless n ≥ 1
/// pairs.
std::optional<OneSided> paired_gehan(std::span<const Duration> treatment, std::span<const Duration> control);

/// Two arms; if `paired`, the two of a pair have the same index.
struct TimedArms {
  std::span<const Duration> treatment, control;
  bool paired = true;
};

/// `paired_gehan` or `gehan` of t against ratio·c + shift; ratio > 0. Away from equality both arms are censored at the
/// earliest point up to which both are observed, given one limit for all (the smallest censored time). Otherwise late
/// censoring in one arm and early censoring in the other would look like a difference. None as in those tests.
std::optional<OneSided> censored_p(const TimedArms&, double ratio = 1, double shift = 0);

/// The difference of the arms: the value at which the test changes sides. If `open`, censoring leaves it unbounded on
/// one side, and `estimate` is its other end.
struct CensoredEffect {
  double estimate = 0;
  bool open = false;
  Interval interval;  ///< Without an end where nothing bounds it.
};
/// A shift of all times, at a two-sided level in (0, 1): Wei & Gail, "Nonparametric estimation for a scale-change with
/// censored observations", J. Am. Stat. Assoc. 78 (1983), on the scale of the times. Without censoring and pairs it is
/// Hodges & Lehmann's. O(log n) tests. None where an arm is empty or a time is not finite.
std::optional<CensoredEffect> censored_shift(const TimedArms&, double level);
/// The same of a factor on all times; also none unless every time is above 0.
std::optional<CensoredEffect> censored_ratio(const TimedArms&, double level);

}  // namespace stats

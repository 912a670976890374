#pragma once
// Rank tests of censored times. All assume that censoring does not depend on the arm, as with one limit for all runs.
// Pure; any thread.

#include <optional>
#include <span>

#include "stats/basics/one_sided.h"

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

}  // namespace stats

#pragma once
// Rank tests of times of which some were cut off before their end. All suppose that being cut off has nothing to do
// with the arm, as with one limit for all runs. Pure; any thread.

#include <optional>
#include <span>

#include "stats/basics/one_sided.h"

namespace stats {

/// It took `time`; or, `censored`, it was still going then. Infinite: it never ended, which is later than whatever was
/// cut off.
struct Duration {
  double time = 0;
  bool censored = false;
};

// In all: `less` is p of "the treatment does not end earlier" against "it does"; both are 1 where nothing can be told
// apart, as when all are censored. None where an arm is empty or a time is not a number.

/// Gehan, "A generalized Wilcoxon test for comparing arbitrarily singly-censored samples", Biometrika 52 (1965): each
/// time scores +1 for every other that surely ended before, −1 for every one that surely ended after it (one cut off at
/// a time ends after one that ended then). Given the scores their labels are exchangeable: exact up to n_t·n_c = 900,
/// else normal with the permutation variance of Mantel, "Ranking procedures for arbitrarily restricted observation",
/// Biometrics 23 (1967), and a correction of half a pair. Without censoring it is Mann & Whitney's test, number by
/// number.
std::optional<OneSided> gehan(std::span<const Duration> treatment, std::span<const Duration> control);

/// Pairs: the difference of the two Gehan scores among all 2n times, whose sign is a fair coin. O'Brien & Fleming, "A
/// paired Prentice–Wilcoxon test for censored paired data", Biometrics 43 (1987), with Gehan's scores (whole numbers)
/// in place of Prentice's; these are alike where all are cut off at one limit. Exact up to 50 pairs, else normal with
/// variance Σ difference² and no correction. Supposes that both of a pair are cut off alike. None unless n ≥ 1 pairs.
std::optional<OneSided> paired_gehan(std::span<const Duration> treatment, std::span<const Duration> control);

}  // namespace stats

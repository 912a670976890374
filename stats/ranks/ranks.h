#pragma once
// What the rank tests share: midranks, the exact null distributions of sums of whole-numbered scores, ties included,
// and the interval of the shifts that a test does not reject. Pure; any thread.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "stats/basics/contrast.h"

namespace stats {

/// Twice the rank of each value from 1, equal values having their mean rank, so that all are whole. In sorted order,
/// values within `tie` of the one before are equal. May be infinite, not NaN.
std::vector<std::int64_t> doubled_midranks(std::span<const double> values, double tie = 0);

/// The shifts that a test does not reject on either side at (1 − level)/2, ends included. Between two neighbouring
/// `places` (where ranks change: finite, any order, not empty) the p-values at a shift must be constant, `greater`
/// never falling with the shift and `less` never rising. An end that no sample of this size could bound is missing.
Interval invert_rank_test(std::vector<double> places, double tie, double level,
                          const std::function<OneSided(double shift)>& test);

/// Middle of the places (the mean of the two middle ones); not empty.
double middle_place(std::vector<double> places);

/// What rounding leaves of two equal numbers of this size.
double rank_tie(double scale);

/// P(sum ≤ observed) and P(sum ≥ observed) when each score is taken with probability ½. Scores ≥ 0. Time and memory
/// grow with the sum of the scores. Streitberg & Röhmel, "Exact distributions for permutation and rank tests",
/// Stat. Software Newsletter 12 (1986).
OneSided sign_flip_tails(std::span<const std::int64_t> scores, std::int64_t observed);

/// The same of the sum of `chosen` of the scores, every choice being equally likely (the same authors' two-sample
/// algorithm). Any sign; chosen ≤ their number.
OneSided label_tails(std::span<const std::int64_t> scores, std::size_t chosen, std::int64_t observed);

}  // namespace stats

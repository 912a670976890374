#pragma once
// Exact null distributions of sums of whole-numbered scores, ties included: each score taken or not (signs flipped
// within pairs), or so many of them taken (labels exchanged between arms). Pure; any thread.

#include <cstdint>
#include <span>

#include "stats/basics/one_sided.h"

namespace stats {

/// P(sum ≤ observed) and P(sum ≥ observed) when each score is taken with probability ½. Scores ≥ 0. Time and memory
/// grow with the sum of the scores. Streitberg & Röhmel, "Exact distributions for permutation and rank tests",
/// Stat. Software Newsletter 12 (1986).
OneSided sign_flip_tails(std::span<const std::int64_t> scores, std::int64_t observed);

/// The same of the sum of `chosen` of the scores, every choice being equally likely (the same authors' two-sample
/// algorithm). Any sign; chosen ≤ their number.
OneSided label_tails(std::span<const std::int64_t> scores, std::size_t chosen, std::int64_t observed);

}  // namespace stats

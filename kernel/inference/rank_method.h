#pragma once
// Two arms as ranks see them, and their p-values: Wilcoxon's signed ranks of pairs, Mann and Whitney's test of
// independent runs, Gehan's for times that may have been cut off. Runs that failed have no number, only a rank. Pure;
// any thread.

#include <optional>
#include <vector>

#include "kernel/inference/hypothesis_region.h"
#include "stats/ranks/censored.h"

namespace kernel {

/// None: it failed. Pairs stand at the same place of both.
struct Ranked {
  bool paired = true;
  bool cut = false;  ///< Some may be known to be at least so much; then by Gehan's scores.
  std::vector<std::optional<stats::Duration>> treatment, control;
};

/// Of pairs, and of one cell against one; no other sample has ranks that a known test compares.
std::optional<Ranked> ranked(const Sample&);

/// Against support every failed run ranks worst for the hypothesis, in both arms; against refutation best for it. `sd`:
/// of the test's unit, for a smallest effect in standard deviations.
PValues ranked_p_values(const Ranked&, const Region&, std::optional<double> sd);

}  // namespace kernel

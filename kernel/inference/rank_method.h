#pragma once
// Two arms as ranks, and their p-values: Wilcoxon's signed ranks for pairs, Mann and Whitney's test for independent
// runs, Gehan's scores for times that may be cut off. Failed runs have a rank but no value, so that they can stand
// against the verdict as far as possible. Pure; any thread.

#include <optional>
#include <span>
#include <vector>

#include "kernel/inference/test_method.h"
#include "stats/ranks/censored.h"

namespace kernel {

/// A unit that failed has no value. The members of a pair have the same index in both arms.
struct Ranked {
  bool paired = true;
  bool cut = false;  ///< If some values may be lower bounds; Gehan's scores rank them.
  std::vector<std::optional<stats::Duration>> treatment, control;
};

/// The ranks of pairs, or of one cell against one; none for other samples, because no known test compares their ranks.
std::optional<Ranked> ranked(const Sample&);

/// For support, every failed run ranks worst for the hypothesis in both arms; for refutation, best. `sd` is that of the
/// test's unit, for a smallest effect in standard deviations.
PValues ranked_p_values(const Ranked&, const Region&, std::optional<double> sd);

/// The test's result if each failed run were as bad for the verdict as possible, as `TestMethod::with_failures`; times
/// of runs that timed out are cut off. A pair failed if one of its runs failed in any cell. None for slopes,
/// interactions, deterministic metrics, unpaired arms of several cells, or if there are no units.
std::optional<PValues> worst_case(const StudySpec&, const Hypothesis&, std::span<const Setting>, const Test&);

}  // namespace kernel

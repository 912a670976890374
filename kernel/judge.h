#pragma once
// From the estimates of one batch to its verdicts: Holm over the batch, the rule of verdict.h, and the sentences that
// explain it. Pure; any thread.

#include <span>
#include <vector>

#include "kernel/analysis.h"

namespace kernel {

/// `estimates[i]` is of `batch[i]`; `family` is M, the slots fixed before the data (at least the batch's size is
/// assumed). A hypothesis with an obstacle keeps its slot with p = 1.
std::vector<HypothesisResult> judge_batch(const StudySpec&, std::span<const Hypothesis> batch, int family,
                                          std::span<const Estimate> estimates);

/// The same from the runs: `runs[i]` are the experiment's evidence with their values of `batch[i]`'s metric.
std::vector<HypothesisResult> judge_batch(const StudySpec&, std::span<const Hypothesis> batch, int family,
                                          std::span<const std::vector<RunValue>> runs);

}  // namespace kernel

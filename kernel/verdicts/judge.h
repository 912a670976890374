#pragma once
// From the estimates of one batch to its verdicts: Holm over the batch, the rule of verdict.h, and the sentences that
// explain it. Pure; any thread.

#include <span>
#include <vector>

#include "kernel/inference/estimate.h"
#include "kernel/sizing/interim_looks.h"

namespace kernel {

/// How one hypothesis of a batch takes part, where there are looks.
struct Standing {
  std::optional<LookAt> look;   ///< None: its only one.
  std::optional<double> fixed;  ///< It is not judged now: its p at the look that decided it, or 1. Its result is void.
};

/// `estimates[i]` is of `batch[i]`; `family` is M, the slots fixed before the data (at least the batch's size is
/// assumed). A hypothesis with an obstacle keeps its slot with p = 1. `standings`: none, or one per hypothesis; Holm's
/// procedure is then of the p at the looks (Maurer & Bretz, "Multiple testing in group sequential trials using
/// graphical approaches", Stat. Biopharm. Res. 5 (2013)).
std::vector<HypothesisResult> judge_batch(const StudySpec&, std::span<const Hypothesis> batch, int family,
                                          std::span<const Estimate> estimates,
                                          std::span<const Standing> standings = {});

/// The same from the runs: `runs[i]` are the experiment's evidence with their values of `batch[i]`'s metric.
std::vector<HypothesisResult> judge_batch(const StudySpec&, std::span<const Hypothesis> batch, int family,
                                          std::span<const std::vector<RunValue>> runs);

}  // namespace kernel

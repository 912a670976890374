#pragma once
// Judges one batch: its verdicts from its estimates, by the study's correction over the family and the rule of
// verdict.h, with the reasons. Pure; any thread.

#include <span>
#include <vector>

#include "kernel/inference/estimate.h"
#include "kernel/sizing/interim_looks.h"

namespace kernel {

/// The part of one hypothesis of a batch in a look.
struct Standing {
  std::optional<LookAt> look;  ///< None if there is only one look.
  /// Set if it is not judged now: its p at the look that decided it, or 1. Its result is then void.
  std::optional<double> fixed;
};

/// `estimates[i]` is the estimate of `batch[i]`. `family` is M, the slots fixed before the data; at least the batch's
/// size is used. A hypothesis with an obstacle keeps its slot with p = 1. `standings` is empty, or has one entry per
/// hypothesis; then Holm's procedure uses the p at the looks (Maurer & Bretz, "Multiple testing in group sequential
/// trials using graphical approaches", Stat. Biopharm. Res. 5 (2013)).
std::vector<HypothesisResult> judge_batch(const StudySpec&, std::span<const Hypothesis> batch, int family,
                                          std::span<const Estimate> estimates,
                                          std::span<const Standing> standings = {});

/// The same from the runs: `runs[i]` is the experiment's evidence with values of `batch[i]`'s metric.
std::vector<HypothesisResult> judge_batch(const StudySpec&, std::span<const Hypothesis> batch, int family,
                                          std::span<const std::vector<RunValue>> runs);

}  // namespace kernel

#pragma once
// Judges one batch: its verdicts from its estimates, by the study's correction over the family and the rule of
// verdict.h, with the reasons. Pure; any thread.

#include <span>
#include <vector>

#include "kernel/inference/estimate.h"
#include "kernel/sizing/interim_looks.h"
#include "stats/error_rates/corrections.h"

namespace kernel {

/// The part of one hypothesis of a batch in a look.
struct Standing {
  std::optional<LookAt> look;  ///< None if there is only one look.
  /// Set if it is not judged now: its p at the look that decided it, or 1. Its result is then void.
  std::optional<double> fixed;
};

/// A batch with its estimates; borrows all that it is made of. `estimates[i]` is the estimate of `hypotheses[i]`.
/// `family` is M, the slots fixed before the data; at least the batch's size is used. A hypothesis with an obstacle
/// keeps its slot with p = 1. `standings` is empty, or has one entry per hypothesis; then Holm's procedure uses the p
/// at the looks (Maurer & Bretz, "Multiple testing in group sequential trials using graphical approaches", Stat.
/// Biopharm. Res. 5 (2013)).
class TestedBatch {
 public:
  TestedBatch(const StudySpec&, std::span<const Hypothesis> hypotheses, int family, std::span<const Estimate> estimates,
              std::span<const Standing> standings = {});

  std::vector<HypothesisResult> results() const;
  /// The verdict of `hypotheses[which]` if this were its estimate.
  OtherVerdict verdict_with(std::size_t which, const Estimate&) const;

 private:
  const LookAt& look_of(std::size_t) const;
  /// Its p in the correction.
  double p_of(std::size_t, const Estimate&) const;
  std::vector<stats::HolmStep> steps(const std::vector<double>& p) const;

  const StudySpec& spec_;
  std::span<const Hypothesis> hypotheses_;
  int slots_;
  std::span<const Estimate> estimates_;
  std::span<const Standing> standings_;
  std::vector<double> p_;
};

/// `TestedBatch::results`.
std::vector<HypothesisResult> judge_batch(const StudySpec&, std::span<const Hypothesis> batch, int family,
                                          std::span<const Estimate> estimates,
                                          std::span<const Standing> standings = {});

/// The same from the runs: `runs[i]` is the experiment's evidence with values of `batch[i]`'s metric.
std::vector<HypothesisResult> judge_batch(const StudySpec&, std::span<const Hypothesis> batch, int family,
                                          std::span<const std::vector<RunValue>> runs);

}  // namespace kernel

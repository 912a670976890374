#pragma once
// What a result rests on and how firm it is: units, one standardised size, power as planned, and the verdict by ranks
// and without each outlier. None of it changes a verdict. Pure; any thread.

#include <functional>
#include <optional>
#include <span>

#include "kernel/inference/estimate.h"
#include "kernel/study/state.h"

namespace kernel {

/// The verdict if this were the estimate; see `TestedBatch::verdict_with`.
using VerdictWith = std::function<OtherVerdict(const Estimate&)>;

/// `runs`: the evidence with values of the hypothesis's metric; `result` is made of `estimate`. Without `verdict_with`
/// (exploratory hypotheses) nothing is judged again. The heterogeneity is not set.
Reading reading_of(const StudyTerms&, const Registration&, const Hypothesis&, const Estimate&, const HypothesisResult&,
                   std::span<const RunValue> runs, const VerdictWith&);

}  // namespace kernel

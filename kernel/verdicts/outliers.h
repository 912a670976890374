#pragma once
// Values that lie far from the others of their cell: named with the verdict, never removed. Pure; any thread.

#include "kernel/inference/estimate.h"
#include "kernel/study/state.h"

namespace kernel {

/// The outliers that were kept, of a hypothesis's metric, by modified z-scores
/// (stats/diagnostics/sample_checks.h) within each cell of five values or more, on logarithms where these are tested;
/// at most five runs are named. Cells with values that were cut off have no such scores. Empty: there is none.
Reason outlier_warning(const StudyTerms&, const Hypothesis&, std::span<const RunValue>);

}  // namespace kernel

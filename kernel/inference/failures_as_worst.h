#pragma once
// Failed runs as outcomes: what a test would say if each of them had been as bad for the verdict as a run can be. Ranks
// only, for a failed run has no number. Pure; any thread.

#include <optional>
#include <span>

#include "kernel/inference/test_method.h"

namespace kernel {

/// As `TestMethod::with_failures`; of times, those that timed out are cut off. A pair of which a
/// run failed in any cell failed. None where there is nothing to rank: slopes, interactions, deterministic metrics,
/// unpaired arms of several cells, no failed run.
std::optional<PValues> worst_case(const StudySpec&, const Hypothesis&, std::span<const Setting>, const Test&);

}  // namespace kernel

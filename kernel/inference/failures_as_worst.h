#pragma once
// Failed runs as outcomes: the test's result if each of them were as bad for the verdict as possible. Only ranks can do
// this, because a failed run has no value. Pure; any thread.

#include <optional>
#include <span>

#include "kernel/inference/test_method.h"

namespace kernel {

/// As `TestMethod::with_failures`; times of runs that timed out are cut off. A pair failed if one of its runs failed in
/// any cell. None for slopes, interactions, deterministic metrics, unpaired arms of several cells, or if there are no
/// units.
std::optional<PValues> worst_case(const StudySpec&, const Hypothesis&, std::span<const Setting>, const Test&);

}  // namespace kernel

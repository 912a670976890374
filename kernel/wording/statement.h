#pragma once
// Whether the sentence of a hypothesis says something else than its test. Pure; any thread.

#include "kernel/domain/reason.h"
#include "kernel/domain/study_spec.h"

namespace kernel {

/// Why the statement contradicts the test; empty if it does not, or if it is not understood. `goal_known`: the study
/// file gives the metric's goal.
Reason statement_against_test(const StudySpec&, const Hypothesis&, bool goal_known);

}  // namespace kernel

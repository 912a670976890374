#pragma once
// States in words what a hypothesis's test asks and what it found. Metric, arms, direction, scale and conditions come
// from the test, never from its author's statement. Contains no value of a run, only margins and sizes that were fixed
// before the data. Pure.

#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// The tested statement: "time_ms under algorithm = quick is less than that under algorithm = bubble by more than 90
/// %".
std::string tested_words(const StudySpec&, const Hypothesis&);

/// One sentence by the verdict: the tested statement, its contrary, the size that is excluded, or that it is undecided.
std::string finding_words(const StudySpec&, const HypothesisRecord&);

}  // namespace kernel

#pragma once
// Why a verdict is what it is. Pure; any thread.

#include <string>

#include "kernel/inference/estimate.h"

namespace kernel {

/// As the value `unit`; a pure number has none.
void add_unit(Reason&, const std::string& unit);

/// "more than 50 % less than the control", "within 0.25 of 2".
std::string region_words(const StudySpec&, const Hypothesis&, int wording);

/// `deciding`: the test whose interval `result` reports; `refuting`: the level at which it would refute. Precondition:
/// the estimate has no obstacle.
Reason reason_of(const StudySpec&, const Hypothesis&, const Test& deciding, const HypothesisResult&, double refuting);

/// Of a crossover: the tests at the two levels that show it best, in their order.
Reason crossover_reason(const StudySpec&, const Hypothesis&, const Test& first, const Test& later,
                        const HypothesisResult&);

}  // namespace kernel

#pragma once
// The reasons of verdicts. Pure; any thread.

#include <string>

#include "kernel/inference/estimate.h"

namespace kernel {

/// Adds the value `unit`; does nothing for a pure number.
void add_unit(Reason&, const std::string& unit);

/// The hypothesised region in words: "more than 50 % less than the control", "within 0.25 of 2".
std::string region_words(const StudySpec&, const Hypothesis&, int wording);

/// The levels of the p-values of one test.
struct DecidedAt {
  double support = 0, against = 0;
  double slot = 0;  ///< α/M, for which power is computed.
};

/// `deciding`: the test whose interval `result` reports. Precondition: the estimate has no obstacle.
Reason reason_of(const StudySpec&, const Hypothesis&, const Test& deciding, const HypothesisResult&, const DecidedAt&);

/// The reason that earlier programs gave, which had no codes for equal and for tied values; unchanged without them.
Reason before_ties(Reason);

/// The reason for a crossover, from the tests at the two levels that show it best, in the order of the levels.
Reason crossover_reason(const StudySpec&, const Hypothesis&, const Test& first, const Test& later,
                        const HypothesisResult&);

}  // namespace kernel

#pragma once
// What the runs say about one hypothesis, before the family decides: effect, error, p-values, and per cell what was
// measured. It knows no other hypothesis and no alpha. Pure; any thread; estimates own all they hold.

#include <functional>
#include <span>
#include <string>

#include "kernel/inference/hypothesis_test.h"

namespace kernel {

/// Unusable runs are an obstacle, and so are failed ones where they are more than `max_failed` or cannot be ranked;
/// what the others say is estimated all the same. Without what it requires.
Estimate estimate(const StudySpec&, const Hypothesis&, std::span<const RunValue>);

/// A requirement as a hypothesis: between the same arms, by the method that its metric calls for.
Hypothesis requirement_of(const Hypothesis&, const Requirement&);

/// The runs with their values of one metric.
using RunsOf = std::function<std::span<const RunValue>(const std::string& metric)>;
/// With what it requires: it holds where its own test and every requirement holds (see `in_every`).
Estimate estimate_whole(const StudySpec&, const Hypothesis&, const RunsOf&);

}  // namespace kernel

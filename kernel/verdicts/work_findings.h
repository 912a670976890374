#pragma once
// Findings from what the kernel knows of each run, apart from the values that a verdict rests on: processor and wall
// time, bytes written, reported values. They ask whether both arms of a hypothesis did the work that they report.
// Thresholds are such that honest studies have none, whatever their algorithms cost. Pure; any thread.

#include <optional>
#include <span>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// For each compared contrast of the experiment: an arm that waits where the other one computes, an arm that does less
/// work, values from a table, and paired differences that are constant though the metric varies. `averted` unless an
/// agent wrote the code that ran. None in studies that are judged by the rule of earlier programs.
std::vector<IntegrityFound> work_findings(const Study&, const Experiment&);

/// The distance of neighbouring values that the metric can have, from its values: a power of ten, 1/N of a share, or
/// the precision of a float; 0 if there is none. Two values of the same step may be equal by chance.
double value_step(std::span<const double>);

/// The smallest N up to a million of which all values are multiples of 1/N; none if there is none.
std::optional<std::int64_t> common_denominator(std::span<const double>);

}  // namespace kernel

#pragma once
// Findings from what the kernel knows of each run, apart from the values that a verdict rests on: processor and wall
// time, bytes written, reported values. They ask whether both arms of a hypothesis did the work that they report.
// Thresholds are such that honest studies have none, whatever their algorithms cost. Pure; any thread.

#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// For each compared contrast of the experiment: an arm that waits where the other one computes, an arm that does less
/// work, values from a table, and paired differences that are constant though the metric varies. `averted` unless an
/// agent wrote the code that ran. None in studies that are judged by the rule of earlier programs.
std::vector<IntegrityFound> work_findings(const Study&, const Experiment&);

}  // namespace kernel

#pragma once
// The effect in each setting that a hypothesis averages over: a description beside its test, which no verdict looks at.
// Pure; any thread.

#include <span>
#include <vector>

#include "kernel/domain/records.h"
#include "kernel/evidence/observations.h"

namespace kernel {

/// By the hypothesis's own method, each setting as if it were all; intervals at 95 %, none where units are blocks.
/// Empty where there is one setting, where every one is tested by itself, and where there are more than a page holds.
std::vector<SettingResult> setting_results(const StudySpec&, const Hypothesis&, std::span<const RunValue>);

}  // namespace kernel

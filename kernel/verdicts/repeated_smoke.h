#pragma once
// A smoke run is repeated among the registered runs of an experiment: the same cell and seed, on the same code. A job
// cannot tell which of its runs count, so one that behaves otherwise after the manipulation check is found by its
// values. Repeats are never evidence. Pure; any thread.

#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Number of repeats in an experiment. Two, because their agreement shows that the metric repeats itself.
inline constexpr int smoke_repeats = 2;

/// True if the values are exactly the same; two that are not a number are.
bool are_same(const MetricValue&, const MetricValue&);

/// True if the design has repeats: a test with a manipulation check, no stages and no pinned seeds, and a metric that
/// smoke runs report and that is no time.
bool repeats_smoke(const StudySpec&);

/// The smoke runs that can be repeated: in the reference cell or with one factor changed, succeeded on the present
/// code, with a value of a metric that is no time. Empty if the design has no repeats.
std::vector<const Run*> repeatable_smoke_runs(const Study&);

/// For each metric that is no time, a finding if the repeats of the experiment have one value and the smoke run has
/// another. `averted` unless an agent wrote the code. If two runs agree by chance, because the metric is noisy and has
/// few values, it is `averted` for an agent's code, too, and not found for a person's.
std::vector<IntegrityFound> repeat_findings(const Study&, const Experiment&);

}  // namespace kernel

#pragma once
// What was odd about the runs that a verdict rests on, as warnings for people: runs made again because they asked for
// it, company on the machine, outliers, and values that follow the order of the runs. An empty reason: nothing was.
// Pure; any thread.

#include <optional>
#include <span>
#include <string>

#include "kernel/inference/estimate.h"
#include "kernel/study/state.h"

namespace kernel {

/// How many of the hypothesis's registered runs in the experiment asked to be run again, each attempt counted. A job
/// that asks can throw away a value that it has seen, and a verdict says how often that was possible.
Reason repeats_warning(const Study&, const Experiment&, const Hypothesis&);

/// True if the metric tells a time, which depends on what else the machine does: by its type, or by a unit of time, per
/// time or of time per something, its own or that of what it is derived from.
bool is_timing(const StudySpec&, const Metric&);

/// How many seconds the unit of time is; none if it is not one.
std::optional<double> seconds_of(const std::string& unit);

/// How many of the runs that count ran on a busy machine (`was_busy`), if the hypothesis or what it requires is about a
/// time.
Reason busy_warning(const Study&, const Experiment&, const Hypothesis&);

/// The outliers of a hypothesis's metric, which were kept, by modified z-scores (stats/diagnostics/sample_checks.h)
/// within each cell of five values or more, on logarithms where these are tested; at most five runs are named. Cells
/// with values that were cut off have no such scores.
Reason outlier_warning(const StudyTerms&, const Hypothesis&, std::span<const RunValue>);

/// Whether a metric's values follow the order in which the runs ran, at 1 %: a machine that warms up, a disk that
/// fills, company that comes and goes. Looks at what is left of each value once its cell's mean is gone, over the
/// experiment's runs that count, in the order of their starts: runs about the median, and Kendall's rank correlation.
/// Where cells share their seeds a seed's mean is one value, because what a seed does to all its runs, which follow
/// each other, is no drift. Deterministic metrics, cells of one run and fewer than 8 values say nothing.
Reason drift_warning(const Study&, const Experiment&, const std::string& metric);

}  // namespace kernel

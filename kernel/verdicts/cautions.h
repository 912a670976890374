#pragma once
// Warnings about the runs that a verdict rests on: retries that jobs asked for, a busy machine, outliers, and values
// that change with the order of the runs. An empty reason means no warning. Pure; any thread.

#include <optional>
#include <span>
#include <string>

#include "kernel/inference/estimate.h"
#include "kernel/study/state.h"

namespace kernel {

/// The number of attempts of the hypothesis's registered runs that asked for a retry. A job that asks can discard a
/// value that it has seen, so a verdict states how often that was possible.
Reason repeats_warning(const StudySpec&, const RunBoard&, const Experiment&, const Hypothesis&);

/// Scratch runs before the registration that may have shown the hypothesis's contrast: of the study's command in one of
/// its cells, and commands of agents and people, of which nothing is known.
int scratch_looks(const Study&, const Experiment&, const Hypothesis&);

/// True if the metric, or the one that it is derived from, is a time or a rate: by its type, or by a unit such as "ms",
/// "MB/s" or "s/item". Such values depend on the other load of the machine.
bool is_timing(const StudySpec&, const Metric&);

/// The unit of time in seconds; none if the text is no unit of time.
std::optional<double> seconds_of(const std::string& unit);

/// The number of runs that count and ran on a busy machine (`was_busy`), if the hypothesis or one of its requirements
/// is about a timing metric.
Reason busy_warning(const StudySpec&, const RunBoard&, const Experiment&, const Hypothesis&);

struct OutlyingValue {
  int run = 0;  ///< The run's number.
  double value = 0, noise = 0, score = 0;
};
/// The outliers of a hypothesis's metric, by run, by modified z-scores (stats/diagnostics/sample_checks.h) in each cell
/// of at least five values. Logarithms are used if the test uses them. Cells with censored values and deterministic
/// metrics are not checked.
std::vector<OutlyingValue> outliers_of(const StudySpec&, const Hypothesis&, std::span<const RunValue>);
/// Names at most five of them. They stay in the evidence.
Reason outlier_warning(const StudyTerms&, const Hypothesis&, std::span<const RunValue>);

/// Tests at 1 % whether a metric's values change with the start times of the runs, for example because a machine warms
/// up, a disk fills or other load comes and goes. The residuals from the cells' means, standardised per cell, are
/// tested by runs about the median and by Kendall's rank correlation. If cells share seeds, the mean residual of a seed
/// is one value: its runs are adjacent, so an effect of the seed would look like a drift. Not tested: deterministic
/// metrics, cells of one run, and fewer than 8 values.
Reason drift_warning(const StudySpec&, const RunBoard&, const Experiment&, const std::string& metric);

}  // namespace kernel

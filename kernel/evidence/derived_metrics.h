#pragma once
// Metrics derived from two runs: a run's value compared with that of the same seed in the reference cell. Pure.

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The reference cell of a derived metric's value in `cell`.
Cell reference_of(const Derived&, Cell cell);
/// A hypothesis's cells, and the reference cells of its derived metrics.
std::vector<Cell> cells_to_run(const StudySpec&, const Hypothesis&);

/// Values of runs, including derived metrics; borrows the study. Passes once over the runs, if a metric is derived.
class RunValues {
 public:
  explicit RunValues(const Study&);

  /// None if the run or its reference run has no value. A ratio to 0 is not finite. With a censored own value the
  /// result is censored; with a censored reference value it is NaN.
  std::optional<MetricValue> of(const Run&, const Metric&) const;
  /// False if there is no reference run, because another hypothesis needed more replicates than this metric's.
  bool applies(const Run& run, const Metric& metric) const {
    return !metric.derived || reference(run, *metric.derived);
  }
  /// True if the run or its reference run did not succeed.
  bool failed(const Run&, const Metric&) const;

 private:
  const Run* reference(const Run&, const Derived&) const;

  const Study& study_;
  /// (experiment, purpose, cell, seed) → the run that counts.
  std::map<std::tuple<ExperimentId, int, int, std::uint64_t>, const Run*> runs_;
};

}  // namespace kernel

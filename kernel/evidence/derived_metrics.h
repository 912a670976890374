#pragma once
// Metrics that are derived from two runs: each run's value against that of the run with its seed in the reference cell.
// Pure; borrows the study; any thread.

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The cell that a derived metric's value in `cell` is held against.
Cell reference_of(const Derived&, Cell cell);
/// A hypothesis's cells, and those that its metrics are derived from.
std::vector<Cell> cells_to_run(const StudySpec&, const Hypothesis&);

/// What runs measured, derived metrics included. One pass over the runs, and only where a metric is derived.
class RunValues {
 public:
  explicit RunValues(const Study&);

  /// None where the run, or the run that it is held against, has no value of it. A ratio to 0 is no finite number; what
  /// was made of a censored value is censored where it is a difference to one that is not, else it is no number.
  std::optional<MetricValue> of(const Run&, const Metric&) const;
  /// False where no run is there to hold this one against: another hypothesis wanted more replicates than this
  /// metric's.
  bool applies(const Run&, const Metric&) const;
  /// The run did not succeed, or that which its value is held against did not.
  bool failed(const Run&, const Metric&) const;

 private:
  const Run* reference(const Run&, const Derived&) const;

  const Study& study_;
  /// (experiment, purpose, cell, seed) → the run that stands for it.
  std::map<std::tuple<std::string, int, int, std::uint64_t>, const Run*> runs_;
};

}  // namespace kernel

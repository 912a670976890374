#pragma once
// Computes the values of a job's metrics from its outputs: pure, no I/O, linear in the bytes. A job's output is data:
// malformed lines are counted, and are neither fatal nor instructions.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/records.h"
#include "kernel/measure/metric_sources.h"

namespace kernel {

/// The text of a result file, or the reason why there is none.
struct FileText {
  FileText(std::string bytes) : text(std::move(bytes)) {}
  FileText(std::optional<std::string> bytes) : text(std::move(bytes)) {}
  /// `is_refused`: the file exists but must not be read.
  FileText(std::string why, bool is_refused) : problem(std::move(why)), refused(is_refused) {}

  std::optional<std::string> text;
  std::string problem;
  bool refused = false;
};

/// The bytes to read. `read_file` takes a path as spelled in the study file.
struct Sources {
  std::string_view metrics_file;
  std::string_view stdout_text;
  std::function<FileText(const std::string& path)> read_file;
  Reason metrics_problem{};  ///< Why the metrics file is missing or incomplete; empty if it is complete.
  /// The evaluator command that scored the run, and its metrics file. `none`: evaluator metrics are not required.
  Tier tier{};
  std::string_view evaluator_file{};
  Reason evaluator_problem{};
};

struct Measured {
  Measurement measurement;  ///< `metrics` is not set; the caller stores `points_jsonl` and sets it.
  std::vector<MetricPoint> points;
};

/// All points, and one value for each declared metric that has one. Points of undeclared metrics in the metrics file
/// are kept. Points of metrics declared `from` another source are dropped; if that source is the evaluator, their names
/// are in Measurement::ignored. The evaluator's metrics file is read in the same way.
///
/// Verdict `failed`: the primary metric has no value, the evaluator wrote none of its metrics, or a metric with
/// `on_nan: fail` (primary or not) has a value that is not finite among those of its summary. Else `invalid`: a guard
/// is violated or cannot be checked (no value, not a number, censored on the wrong side). Also `invalid`: not all
/// reported data could be read (a source was refused or cut, or there are too many points). An infinity is treated like
/// NaN, because the analysis needs finite numbers. `worst`: the value is NaN, flagged. `censor`: the summary of the
/// finite values before the first other one, flagged censored; without any the run has failed.
///
/// Censored points: a mean or maximum over one is censored; a minimum, median or p99 only if a larger value of the
/// point could change it. `time_to` is the first step (or 0-based index of points without steps) at which the target
/// metric reaches the target in the sense of its own goal; if there is none, it is censored at the last step.
Measured measure(const StudySpec&, const Sources&);

/// Only the points of the metrics file, without values or verdict.
Measured measure_points(const Sources&);

/// One JSON object per line with sorted keys; values that are not finite are strings.
std::string points_jsonl(const std::vector<MetricPoint>&);
/// Reads `points_jsonl` or any metrics file; malformed lines are skipped.
std::vector<MetricPoint> points_from_jsonl(std::string_view);

/// Why a `from: {stdout: …}` pattern cannot be used; empty if it can.
std::string pattern_problem(const std::string& pattern);

}  // namespace kernel

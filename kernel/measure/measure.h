#pragma once
// From what a job left behind to the values of its metrics: pure, no I/O, linear in the bytes. What a job wrote is
// data: malformed lines are counted, never fatal, and never an instruction.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/records.h"
#include "kernel/measure/metric_sources.h"

namespace kernel {

/// A result file, or why there is none.
struct FileText {
  FileText(std::string bytes) : text(std::move(bytes)) {}
  FileText(std::optional<std::string> bytes) : text(std::move(bytes)) {}
  /// `is_refused`: there is one, and it is not to be read.
  FileText(std::string why, bool is_refused) : problem(std::move(why)), refused(is_refused) {}

  std::optional<std::string> text;
  std::string problem;
  bool refused = false;
};

/// The bytes to read. `read_file` takes a path as the study file spells it.
struct Sources {
  std::string_view metrics_file;
  std::string_view stdout_text;
  std::function<FileText(const std::string& path)> read_file;
  std::string metrics_problem{};  ///< Why the metrics file is not here, or not all of it; empty: it is.
  /// What scored the run, and the metrics file of its own. `none`: metrics `from: evaluator` are not asked for.
  Tier tier{};
  std::string_view evaluator_file{};
  std::string evaluator_problem{};
};

struct Measured {
  Measurement measurement;  ///< `metrics` is left for the caller, who stores `points_jsonl`.
  std::vector<MetricPoint> points;
};

/// Every point found, and one value per declared metric that has any. Lines of the metrics file that name an undeclared
/// metric are kept as points; those that name a metric declared `from` elsewhere are left out, for that source decides.
/// Where that is the evaluator, whose file is read in the same way, they are named in Measurement::ignored.
///
/// Verdict: `failed` when the primary metric has no value, or the evaluator wrote none of its metrics, or when a metric
/// with `on_nan: fail` (primary or not) has a value that is not finite among those its summary is taken over; else
/// `invalid` when a guard is violated, or cannot be checked (no value, not a number, censored on the wrong side), or
/// when not everything that the job reported could be read: a source was refused or cut, or there are too many points.
/// An infinity is treated as NaN is: the analysis takes finite numbers only. `worst`: the value is NaN, flagged.
/// `censor`: the summary of the finite values before the first that is not, flagged censored; with none it has failed.
///
/// Censored points: a mean or maximum over any is censored; a minimum, median or p99 only where moving them up would
/// move it. `time_to` is the first step (or 0-based index, where points have none) at which the target metric is at or
/// beyond the target in the sense of its own goal; never: censored at the last step.
Measured measure(const StudySpec&, const Sources&);

/// The points of the metrics file alone; no value, no verdict.
Measured measure_points(const Sources&);

/// One JSON object a line, keys sorted; NaN and the infinities as strings.
std::string points_jsonl(const std::vector<MetricPoint>&);
/// What `points_jsonl` wrote, or any metrics file; malformed lines are left out.
std::vector<MetricPoint> points_from_jsonl(std::string_view);

/// Why a `from: {stdout: …}` pattern cannot be used; empty when it can.
std::string pattern_problem(const std::string& pattern);

}  // namespace kernel

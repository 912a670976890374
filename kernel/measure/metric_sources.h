#pragma once
// Reads metric values from the kinds of source that a study file can name, and summarises those of one run as one
// number. Independent of verdicts.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/records.h"

namespace kernel {

/// One value as a job reported it.
struct MetricPoint {
  std::string name;
  double value = 0;
  std::optional<std::int64_t> step;
  std::string item;  ///< "q17"; empty if there is none.
  bool censored = false;
};

/// Most points that are kept of one run, so that a job's output cannot exhaust the kernel's memory.
inline constexpr std::size_t most_points = 500'000;

/// Collects the points of all sources, up to `most_points`.
struct Found {
  std::vector<MetricPoint> points;
  bool full = false;           ///< There were more points.
  std::int64_t malformed = 0;  ///< Lines, matches or files that should hold a value and do not.

  /// For each metric the first text in the place of a number, shortened.
  std::map<std::string, std::string> unread{};

  void add(MetricPoint);
  void refuse(const std::string& metric, std::string_view written);
};

/// The metrics file: one object per line with `name` and `value`, and optionally `step`, `item` and `censored`.
void read_metric_lines(std::string_view text, Found&);

/// All matches in all lines; a carriage return also ends a line, because of progress bars. A line on which the pattern
/// takes millions of steps or megabytes of stack counts as malformed. A step group gives the points their steps. Throws
/// std::regex_error.
void read_pattern(std::string_view text, const std::string& metric, const std::string& pattern, Found&);

/// The number at a JSON pointer (RFC 6901), or each number of the array there.
void read_json_value(std::string_view text, const std::string& metric, const std::string& pointer, Found&);

/// The key of one metric in the objects of a JSON lines file.
struct LineKey {
  std::string metric, key, step;
};
/// Lines without any of the keys belong to other programs and are not malformed.
void read_json_lines(std::string_view text, const std::vector<LineKey>&, Found&);

/// A table with a header row (RFC 4180). A key is a column's name; of several columns with one name the last counts.
/// Lines end in LF or CRLF. An empty field holds no value. A field that is not a number is malformed, and so is a row
/// with a syntax error or a wrong length. Returns the keys without a column.
std::vector<std::string> read_csv(std::string_view text, const std::vector<LineKey>&, Found&);

using Series = std::span<const MetricPoint* const>;

struct Summarised {
  std::optional<MetricValue> value{};  ///< None if no value was left after the warm-up.
  /// The first value that is not finite, if the run fails because of it; `value` is then none. Under `on_nan: censor`
  /// the run fails only if no finite value precedes it.
  std::optional<double> broken{};
};

/// `points`: those of the metric, or of its target metric for `time_to`, in order; this function drops the warm-up.
/// `target_goal` is only for `time_to`. Semantics: `measure`.
Summarised summarise(const Metric&, Series points, Goal target_goal);

}  // namespace kernel

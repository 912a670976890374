#pragma once
// Reads metric values out of the four kinds of source a study file can name. Knows nothing of summaries or verdicts.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernel {

/// One value as the job reported it.
struct MetricPoint {
  std::string name;
  double value = 0;
  std::optional<std::int64_t> step;
  std::string item;  ///< "q17"; empty: none.
  bool censored = false;
};

/// More points of one run are not kept: what a job writes must not decide how much memory its kernel takes.
inline constexpr std::size_t most_points = 500'000;

/// Grows as sources are read, up to `most_points`.
struct Found {
  std::vector<MetricPoint> points;
  bool full = false;           ///< There were more.
  std::int64_t malformed = 0;  ///< Lines, matches or files that were meant to hold a value and do not.

  /// By metric, the first thing that stood where a number should; as it was written, cut short.
  std::map<std::string, std::string> unread{};

  void add(MetricPoint);
  void refuse(const std::string& metric, std::string_view written);
};

/// The metrics file: one object a line with `name` and `value`, perhaps `step`, `item` and `censored`.
void read_metric_lines(std::string_view text, Found&);

/// Every match in every line; a carriage return ends a line too, for progress bars. A line on which the pattern takes
/// millions of steps or megabytes of stack is given up, as malformed. Throws std::regex_error.
void read_pattern(std::string_view text, const std::string& metric, const std::string& pattern, Found&);

/// The number a JSON pointer (RFC 6901) leads to, or each number of the array it leads to.
void read_json_value(std::string_view text, const std::string& metric, const std::string& pointer, Found&);

/// Where one metric stands in the objects of a JSON lines file.
struct LineKey {
  std::string metric, key, step;
};
/// Lines without any of the keys are other people's business, not malformed.
void read_json_lines(std::string_view text, const std::vector<LineKey>&, Found&);

}  // namespace kernel

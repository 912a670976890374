#pragma once
// A job's processor time and memory over time, in a bounded number of points: when there are too many, two become one,
// and the interval doubles.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supervisor {

class UsageSeries {
 public:
  static constexpr std::int64_t first_interval_ms = 500;
  static constexpr std::size_t most_points = 240;
  /// A shorter run has no series: its totals say as much.
  static constexpr std::int64_t shortest_ms = 2000;

  /// Times are milliseconds since the job's launch.
  bool is_due(std::int64_t at_ms) const { return at_ms >= due_; }
  /// What the tree uses now; the largest value since the last point counts.
  void see_memory(std::int64_t bytes);
  /// Call when a point is due. `cpu_us`: processor time of the tree since the launch.
  void add(std::int64_t at_ms, std::int64_t cpu_us);

  /// `MS:CPU_MS:BYTES` for each point and for the end, with spaces between; empty for a job that ended before
  /// `shortest_ms`.
  std::string text(std::int64_t ended_ms, std::int64_t cpu_us) const;

 private:
  struct Point {
    std::int64_t at_ms, cpu_us, bytes;
  };
  std::vector<Point> points_;
  std::int64_t interval_ = first_interval_ms, due_ = first_interval_ms;
  std::int64_t bytes_ = 0;  ///< The most since the last point.
};

/// A series as CSV with the columns seconds, cpu_seconds and memory_bytes; empty if it is, or if a point is none.
std::string usage_csv(std::string_view series);
/// The CSV with further columns, gpu_seconds (of all devices together) and gpu_memory_bytes (of the fullest), from a
/// series of the devices. Each row has the values of one series; rows are ordered by time.
std::string with_devices(const std::string& csv, std::string_view series);

}  // namespace supervisor

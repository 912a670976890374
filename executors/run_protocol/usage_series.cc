#include "executors/run_protocol/usage_series.h"

#include <algorithm>

namespace supervisor {

void UsageSeries::see_memory(std::int64_t bytes) {
  bytes_ = std::max(bytes_, bytes);
}

void UsageSeries::add(std::int64_t at_ms, std::int64_t cpu_us) {
  // Of a process that has just ended, its parent may not know the time yet.
  if (!points_.empty()) cpu_us = std::max(cpu_us, points_.back().cpu_us);
  points_.push_back({at_ms, cpu_us, bytes_});
  bytes_ = 0;
  if (points_.size() == most_points) {
    for (std::size_t i = 0; i < most_points / 2; ++i) {
      const Point &earlier = points_[2 * i], &later = points_[2 * i + 1];
      points_[i] = {later.at_ms, later.cpu_us, std::max(earlier.bytes, later.bytes)};
    }
    points_.resize(most_points / 2);
    interval_ *= 2;
  }
  due_ = at_ms + interval_;
}

std::string UsageSeries::text(std::int64_t ended_ms) const {
  std::string text;
  if (ended_ms < shortest_ms) return text;
  for (const Point& p : points_)
    text += (text.empty() ? "" : " ") + std::to_string(p.at_ms) + ":" + std::to_string(p.cpu_us / 1000) + ":" +
            std::to_string(p.bytes);
  return text;
}

}  // namespace supervisor

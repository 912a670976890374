#include "executors/run_protocol/usage_series.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "executors/run_protocol/small_files.h"

namespace supervisor {
namespace {

/// "1.5" of 1500.
std::string thousandths(std::int64_t n) {
  std::string text = std::to_string(n / 1000);
  if (n % 1000 == 0) return text;
  text += "." + std::to_string(1000 + n % 1000).substr(1);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

using Values = std::array<std::int64_t, 3>;

std::optional<std::vector<Values>> points_of(std::string_view series) {
  std::vector<Values> points;
  while (!series.empty()) {
    const std::size_t end = std::min(series.find(' '), series.size());
    std::string_view point = series.substr(0, end);
    Values& values = points.emplace_back();
    for (std::int64_t& value : values) {
      const std::size_t colon = std::min(point.find(':'), point.size());
      const auto number = to_number(point.substr(0, colon));
      if (!number || *number < 0) return std::nullopt;
      value = *number;
      point.remove_prefix(std::min(colon + 1, point.size()));
    }
    if (!point.empty()) return std::nullopt;
    series.remove_prefix(std::min(end + 1, series.size()));
  }
  return points;
}

}  // namespace

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

std::string UsageSeries::text(std::int64_t ended_ms, std::int64_t cpu_us) const {
  std::string text;
  if (ended_ms < shortest_ms) return text;
  std::vector<Point> points = points_;
  Point end{ended_ms, cpu_us, bytes_};
  // Over a very short last interval the mean use is not meaningful, so it is merged with the interval before.
  if (!points.empty()) {
    end.cpu_us = std::max(end.cpu_us, points.back().cpu_us);
    if (ended_ms - points.back().at_ms < interval_ / 2) {
      end.bytes = std::max(end.bytes, points.back().bytes);
      points.pop_back();
    }
  }
  points.push_back(end);
  for (const Point& p : points)
    text += (text.empty() ? "" : " ") + std::to_string(p.at_ms) + ":" + std::to_string(p.cpu_us / 1000) + ":" +
            std::to_string(p.bytes);
  return text;
}

std::string usage_csv(std::string_view series) {
  const auto points = points_of(series);
  if (!points || points->empty()) return "";
  std::string csv = "seconds,cpu_seconds,memory_bytes\n";
  for (const auto& [at, used, bytes] : *points)
    csv += thousandths(at) + "," + thousandths(used) + "," + std::to_string(bytes) + "\n";
  return csv;
}

std::string with_devices(const std::string& csv, std::string_view series) {
  const auto points = points_of(series);
  const std::size_t head = csv.find('\n');
  if (!points || points->empty() || head == csv.npos) return csv;
  std::string merged = csv.substr(0, head) + ",gpu_seconds,gpu_memory_bytes\n";
  auto device = points->begin();
  const auto add_until = [&](double seconds) {
    for (; device != points->end() && static_cast<double>((*device)[0]) / 1000 < seconds; ++device)
      merged +=
          thousandths((*device)[0]) + ",,," + thousandths((*device)[1]) + "," + std::to_string((*device)[2]) + "\n";
  };
  for (std::size_t at = head + 1, end; (end = csv.find('\n', at)) != csv.npos; at = end + 1) {
    add_until(std::strtod(csv.c_str() + at, nullptr));
    merged += csv.substr(at, end - at) + ",,\n";
  }
  add_until(1e300);
  return merged;
}

}  // namespace supervisor

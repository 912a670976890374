#pragma once
// Studies of a few metrics, told in a line each, and what is measured of the text that a job left.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/measure/measure.h"

namespace measured {

inline kernel::Metric metric(std::string name, kernel::SummaryKind kind = kernel::SummaryKind::last,
                             bool primary = false) {
  kernel::Metric m;
  m.name = std::move(name);
  m.summary.kind = kind;
  m.primary = primary;
  return m;
}

inline kernel::Metric from(kernel::Metric m, kernel::MetricSource source) {
  m.source = std::move(source);
  return m;
}

inline kernel::StudySpec study(std::vector<kernel::Metric> metrics) {
  kernel::StudySpec spec;
  spec.metrics = std::move(metrics);
  return spec;
}

inline kernel::Measured of_lines(const kernel::StudySpec& spec, std::string_view lines) {
  return kernel::measure(spec, {lines, "", nullptr});
}

/// The one value of metric `x` for a summary over these values.
inline kernel::MetricValue summary(kernel::Metric m, const std::string& values) {
  std::string lines;
  std::size_t begin = 0;
  while (begin < values.size()) {
    const std::size_t end = std::min(values.find(' ', begin), values.size());
    lines += R"({"name":"x","value":)" + values.substr(begin, end - begin) + "}\n";
    begin = end + 1;
  }
  m.name = "x";
  return of_lines(study({m}), lines).measurement.values.at("x");
}

inline kernel::Metric kind(kernel::SummaryKind k) {
  return metric("x", k);
}

}  // namespace measured

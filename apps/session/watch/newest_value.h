#pragma once
// The newest value that a running job has written into its metrics file.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apps/session/home/home.h"
#include "kernel/domain/identifiers.h"

namespace session {

struct NewestValue {
  double value = 0;
  std::optional<std::int64_t> step;
};

/// None if the file has no value of the metric, or lies on another machine.
std::optional<NewestValue> newest_value(const HomePaths&, const std::string& study, const kernel::LaunchToken&,
                                        const std::string& metric);
/// The same of the end of such a file, whose first and last lines may be parts of some.
std::optional<NewestValue> newest_value(std::string_view end_of_metrics, const std::string& metric);

}  // namespace session

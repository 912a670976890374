#include <cmath>
#include <cstdlib>

#include "apps/cli/verbs/verbs.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

std::optional<kernel::Problem> read_budget(const std::string& entry, kernel::Budget& budget, bool plain) {
  if (const auto seconds = studyfile::duration_s(entry); plain && seconds) {
    budget.wall_s = *seconds;
    return std::nullopt;
  }
  const std::size_t equals = entry.find('=');
  const std::string key = entry.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : entry.substr(equals + 1);
  const auto bad = [&](const std::string& why) {
    return kernel::Problem{"", 0, "--budget " + entry, why,
                           "write runs=400, wall=10m, gpu_hours=2, usd=5 or tokens=100000"};
  };
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  const bool positive = !value.empty() && *end == '\0' && number > 0 && number < 1e15;
  const bool whole = positive && number == std::floor(number);
  if (key == "wall") {
    const std::optional<double> seconds = studyfile::duration_s(value);
    if (!seconds) return bad("is not a duration");
    budget.wall_s = *seconds;
  } else if (key == "runs" || key == "tokens") {
    if (!whole) return bad("is no number of " + key);
    (key == "runs" ? budget.runs : budget.tokens) = static_cast<std::int64_t>(number);
  } else if (key == "usd" || key == "gpu_hours") {
    if (!positive) return bad("is no amount above 0");
    (key == "usd" ? budget.usd : budget.gpu_hours) = number;
  } else {
    return bad("names no budget");
  }
  return std::nullopt;
}

}  // namespace cli

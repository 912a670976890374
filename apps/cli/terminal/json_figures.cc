#include "apps/cli/terminal/json_figures.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "prose/numbers.h"

namespace cli {

using nlohmann::json;

namespace {

std::optional<double> number(const json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

struct Ends {
  std::optional<double> low, high;
  bool known = false;
};

Ends ends_of(const json& interval) {
  if (!interval.is_array() || interval.size() != 2) return {};
  return {number(interval[0]), number(interval[1]), true};
}

}  // namespace

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string figure(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number()) return unknown;
  const double v = value.get<double>();
  if (v == std::trunc(v) && std::fabs(v) < 1e15) return fmt::format("{:.0f}", v + 0.0);  // Without the sign of -0.
  return prose::rounded(v);
}

ShownEstimate estimate(const json& value, const json& interval) {
  const auto [low, high, known] = ends_of(interval);
  const auto half = prose::half_width(low, number(value), high);
  return {value.is_number() ? prose::rounded(value.get<double>(), half) : figure(value),
          known && (low || high) ? prose::interval_text(low, high, half) : unknown};
}

ShownEstimate estimate_percent(const json& ratio, const json& interval) {
  const auto [low, high, known] = ends_of(interval);
  const auto half = prose::half_width(low, number(ratio), high);
  return {ratio.is_number() ? prose::percent(ratio.get<double>(), half) : figure(ratio),
          known && (low || high) ? prose::percent_interval_text(low, high, half) : unknown};
}

std::string probability(const json& p) {
  return p.is_number() ? prose::probability(p.get<double>()) : figure(p);
}
std::string level(const json& level) {
  return level.is_number() ? prose::level_text(level.get<double>()) : figure(level);
}
std::string duration(const json& seconds) {
  if (!seconds.is_number()) return figure(seconds);
  const double s = seconds.get<double>();
  return s < 0.1 ? fmt::format("{:.{}f} ms", 1000 * s, s < 0.01 ? 1 : 0) : prose::duration_text(s);
}
std::string expected_words(const json& seconds) {
  const std::string value = duration(seconds.at("expected")), low = duration(seconds.at("low")),
                    high = duration(seconds.at("high"));
  return low == value && high == value ? value : fmt::format("{} ({} to {})", value, low, high);
}
std::string bytes(const json& count) {
  return count.is_number() ? prose::bytes_text(count.get<long long>()) : figure(count);
}
std::string with_unit(const std::string& number, const std::string& unit) {
  return number == unknown || unit == "1" ? number : prose::with_unit(number, unit);
}

}  // namespace cli

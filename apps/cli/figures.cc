#include "apps/cli/figures.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

using nlohmann::json;

namespace {

/// With this many decimals; far from 1 in the given number of significant digits.
std::string rounded(double value, int decimals, int digits) {
  if (value == 0) return "0";
  const double size = std::fabs(value);
  if (decimals > 8 || size >= 1e9) return fmt::format("{:.{}g}", value, digits);
  return fmt::format("{:.{}f}", value, std::max(0, decimals));
}

int exponent_of(double value) {
  return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
}

std::string bound(const json& end, const char* unbounded, int decimals) {
  if (!end.is_number()) return end.is_string() ? end.get<std::string>() : unbounded;
  return rounded(end.get<double>(), decimals, 4);
}

}  // namespace

std::string figure(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == std::trunc(value) && std::fabs(value) < 1e15) return fmt::format("{:.0f}", value);
  const double size = std::fabs(value);
  if (size >= 1e4 && size < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string figure(const json& value) {
  if (value.is_number()) return figure(value.get<double>());
  return value.is_string() ? value.get<std::string>() : unknown;
}

Estimate estimate(const json& value, const json& interval) {
  const bool pair = interval.is_array() && interval.size() == 2;
  const json low = pair ? interval[0] : json(), high = pair ? interval[1] : json();
  double half = 0;
  if (low.is_number() && high.is_number())
    half = (high.get<double>() - low.get<double>()) / 2;
  else if (value.is_number() && (low.is_number() || high.is_number()))
    half = std::fabs(value.get<double>() - (low.is_number() ? low : high).get<double>());
  if (!(half > 0) || !std::isfinite(half))
    return {figure(value),
            pair ? fmt::format("[{}, {}]", low.is_null() ? "-∞" : figure(low), high.is_null() ? "∞" : figure(high))
                 : unknown};
  const int decimals = 1 - exponent_of(half);
  return {value.is_number() ? rounded(value.get<double>(), decimals, 4) : figure(value),
          fmt::format("[{}, {}]", bound(low, "-∞", decimals), bound(high, "∞", decimals))};
}

std::string probability(const json& p) {
  if (!p.is_number()) return figure(p);
  const double value = p.get<double>();
  if (value < 1e-4) return "< 0.0001";
  if (value > 0.995) return "1.0";
  return fmt::format("{:.{}f}", value, std::max(2, 1 - exponent_of(value)));
}

std::string duration(const json& seconds) {
  if (!seconds.is_number()) return unknown;
  const double s = seconds.get<double>();
  if (s < 1) return fmt::format("{:.0f} ms", s * 1000);
  if (s < 59.95) return fmt::format("{:.1f} s", s);
  const auto whole = static_cast<std::int64_t>(std::llround(s));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const std::int64_t minutes = whole / 60;
  if (minutes < 24 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  return fmt::format("{} d {} h", minutes / (24 * 60), minutes / 60 % 24);
}

std::string bytes(const json& count) {
  if (!count.is_number()) return unknown;
  double value = count.get<double>();
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (value >= 1023.5 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, unit > 0 && value < 9.95 ? 1 : 0, units[unit]);
}

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() || number == unknown ? number : number + " " + unit;
}

}  // namespace cli

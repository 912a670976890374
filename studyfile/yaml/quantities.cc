#include "studyfile/yaml/quantities.h"

#include <algorithm>
#include <cmath>

#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

/// The number at the front, and what follows it in `unit`; empty if there is none.
std::optional<double> number_before(std::string_view text, std::string_view& unit) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  unit = text.substr(end);
  return as_number(text.substr(0, end));
}

}  // namespace

std::optional<double> duration_s(std::string_view text) {
  std::string_view unit;
  const std::optional<double> number = number_before(text, unit);
  if (!number) return std::nullopt;
  double seconds = 0;
  if (unit == "ms")
    seconds = *number / 1000;
  else if (unit == "s")
    seconds = *number;
  else if (unit == "m")
    seconds = *number * 60;
  else if (unit == "h")
    seconds = *number * 3600;
  else
    return std::nullopt;
  constexpr double ten_years = 10 * 366 * 86400.0;
  return seconds <= ten_years ? std::optional(seconds) : std::nullopt;
}

std::optional<std::int64_t> size_bytes(std::string_view text) {
  std::string_view unit;
  const std::optional<double> number = number_before(text, unit);
  if (!number || unit.size() != 1) return std::nullopt;
  const std::size_t power = std::string_view("KMGT").find(unit[0]);
  if (power == std::string_view::npos) return std::nullopt;
  const double bytes = std::floor(std::ldexp(*number, static_cast<int>(power + 1) * 10));
  return bytes <= std::ldexp(1.0, 60) ? std::optional(static_cast<std::int64_t>(bytes)) : std::nullopt;
}

}  // namespace studyfile

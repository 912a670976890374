#include "prose/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace prose {

namespace {

/// The decimal exponent of the last digit shown.
int last_place(double value, std::optional<double> half_width) {
  if (half_width && std::isfinite(*half_width) && *half_width > 0)
    return static_cast<int>(std::floor(std::log10(*half_width))) - 1;
  return value == 0 ? -1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) - 3;
}

std::string to_place(double value, int place) {
  const double step = std::pow(10.0, place);
  const double shown = place > 0 ? std::round(value / step) * step : value;
  std::string text = fmt::format("{:.{}f}", shown, std::clamp(-place, 0, 17));
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return zero && text.starts_with('-') ? text.substr(1) : text;
}

/// Trailing zeros carry no information unless an uncertainty asks for them.
std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

using Format = std::string (*)(double, std::optional<double>);

std::string bracketed(std::optional<double> low, std::optional<double> high, std::optional<double> half,
                      Format format) {
  const std::string left = low ? "[" + format(*low, half) : std::string("(unbounded");
  const std::string right = high ? format(*high, half) + "]" : std::string("unbounded)");
  return left + ", " + right;
}

}  // namespace

std::string rounded(double value, std::optional<double> half_width) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinite" : "minus infinite";
  const bool known = half_width && std::isfinite(*half_width) && *half_width > 0;
  const int place = last_place(value, half_width);
  const double size = std::max(std::abs(value), known ? *half_width : 0.0);
  if (size != 0 && (size < 1e-4 || size >= 1e7)) {
    const int lead = static_cast<int>(std::floor(std::log10(size)));
    return fmt::format("{:.{}e}", value, std::clamp(lead - place, 0, 16));
  }
  return known ? to_place(value, place) : without_zeros(to_place(value, place));
}

std::string percent(double ratio, std::optional<double> half_width) {
  if (!std::isfinite(ratio)) return rounded(ratio);
  return rounded(100 * ratio, half_width ? std::optional(100 * *half_width) : std::nullopt) + " %";
}

std::string probability(double p) {
  if (!std::isfinite(p)) return rounded(p);
  if (p < 0.0001) return "< 0.0001";
  if (p > 0.9999) return "> 0.9999";
  if (p < 0.001) return fmt::format("{:.5f}", p);
  return p < 0.1 ? fmt::format("{:.4f}", p) : fmt::format("{:.3f}", p);
}

std::string share_text(double share) {
  return fmt::format("{:.4g} %", 100 * share);
}

std::string level_text(double level) {
  return without_zeros(fmt::format("{:.2f}", 100 * level)) + " %";
}

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() || unit == "1" ? number : number + " " + unit;  // Unit 1 is a pure number, such as a share.
}

std::optional<double> half_width(std::optional<double> low, std::optional<double> middle, std::optional<double> high) {
  if (low && high) return (*high - *low) / 2;
  if (!middle || (!low && !high)) return std::nullopt;
  return std::abs(low ? *middle - *low : *high - *middle);
}

std::string interval_text(std::optional<double> low, std::optional<double> high, std::optional<double> half) {
  return bracketed(low, high, half, rounded);
}

std::string percent_interval_text(std::optional<double> low, std::optional<double> high, std::optional<double> half) {
  return bracketed(low, high, half, percent);
}

std::string counted(long long n, const std::string& noun) {
  if (n == 1) return "1 " + noun;
  const bool y =
      noun.size() > 1 && noun.back() == 'y' && std::string("aeiou").find(noun[noun.size() - 2]) == std::string::npos;
  if (y) return fmt::format("{} {}ies", n, noun.substr(0, noun.size() - 1));
  if (noun.ends_with("sis")) return fmt::format("{} {}es", n, noun.substr(0, noun.size() - 2));
  return fmt::format("{} {}s", n, noun);
}

std::string bytes_text(long long bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  static constexpr std::array units = {"kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, units[unit]);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return rounded(seconds);
  if (seconds < 10) return fmt::format("{:.{}f} s", seconds, seconds < 1 ? 2 : 1);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace prose

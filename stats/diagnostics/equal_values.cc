#include "stats/diagnostics/equal_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <boost/math/special_functions/gamma.hpp>

#include "stats/basics/descriptive.h"

namespace stats {

namespace {

/// One unit of the last decimal of the shortest text that gives the value, such as "1.25e+02".
double last_decimal(double value) {
  std::array<char, 40> text{};
  char* const end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  const char* const e = std::find(text.data(), end, 'e');
  const char* const point = std::find<const char*>(text.data(), e, '.');
  int power = 0;
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, power);
  return value == 0 ? 1 : std::pow(10.0, static_cast<double>(power - std::max<std::ptrdiff_t>(0, e - point - 1)));
}

/// The multiple of 1/N that all values are multiples of, N being the smallest that fits; none if none does.
std::optional<double> common_fraction(std::span<const double> values, double rounding) {
  constexpr int most = 100'000;
  constexpr double most_rounded = 0.05, exact = 1e-9;
  for (int n = 1; n <= most; ++n) {
    const double tolerance = (rounding < 1 ? std::min(n * rounding / 2, most_rounded) : 0) + exact;
    const double first = std::round(values.front() * n);
    std::int64_t common = 0;
    const bool fits = std::ranges::all_of(values, [&](double value) {
      const double scaled = value * n, whole = std::round(scaled);
      if (!(std::abs(scaled) < 1e15) || std::abs(scaled - whole) > tolerance) return false;
      common = std::gcd(common, static_cast<std::int64_t>(whole - first));
      return true;
    });
    if (fits && common != 0) return static_cast<double>(common) / n;
  }
  return std::nullopt;
}

/// The smallest q ≤ `most` with |value − p/q| below the rounding of a printed share, by continued fractions.
std::optional<std::int64_t> denominator(double value, std::int64_t most) {
  double rest = std::abs(value);
  std::int64_t before = 0, q = 1;
  for (int i = 0; i < 40; ++i) {
    const double whole = std::floor(rest);
    if (i > 0) {
      if (whole > static_cast<double>(most)) return std::nullopt;
      const std::int64_t next = static_cast<std::int64_t>(whole) * q + before;
      before = std::exchange(q, next);
    }
    if (q > most) return std::nullopt;
    const double scaled = value * static_cast<double>(q);
    if (std::abs(scaled - std::round(scaled)) <= 1e-12 * static_cast<double>(q) * std::max(1.0, std::abs(value)))
      return q;
    rest = 1 / (rest - whole);
  }
  return std::nullopt;
}

}  // namespace

double resolution(std::span<const double> values) {
  double decimal = HUGE_VAL;
  bool varies = false;
  for (const double value : values) {
    if (!std::isfinite(value)) return 0;
    varies = varies || value != values.front();
    decimal = std::min(decimal, last_decimal(value));
  }
  if (!varies) return 0;
  return common_fraction(values, decimal).value_or(decimal);
}

double equal_pairs_p(std::size_t pairs, std::size_t n, double sd, double step) {
  if (pairs == 0) return 1;
  const double all = static_cast<double>(n) * (static_cast<double>(n) - 1) / 2;
  const double each = std::min(1.0, step / (2 * sd * std::sqrt(std::numbers::pi)));
  return boost::math::gamma_p(static_cast<double>(pairs), all * each);
}

std::optional<std::int64_t> common_denominator(std::span<const double> values) {
  constexpr std::int64_t most = 1'000'000;
  std::int64_t all = 1;
  for (const double value : values) {
    const auto one = denominator(value, most);
    if (!one) return std::nullopt;
    all = std::lcm(all, *one);
    if (all > most) return std::nullopt;
  }
  return all;
}

double value_step(std::span<const double> values) {
  if (values.empty()) return 0;
  double power = 1;
  for (int digits = 0; digits <= 9; ++digits, power *= 10)
    if (std::ranges::all_of(values, [&](double v) {
          const double scaled = v * power;
          return std::abs(scaled) < 1e14 && std::abs(scaled - std::round(scaled)) <= 1e-6 * std::max(1.0, power / 1e6);
        }))
      return 1 / power;
  std::vector<double> denominators;
  for (const double value : values)
    if (const auto one = denominator(value, 10'000)) denominators.push_back(static_cast<double>(*one));
  if (denominators.size() == values.size()) return 1 / median(denominators).value_or(1);
  if (std::ranges::all_of(values, [](double v) { return static_cast<double>(static_cast<float>(v)) == v; })) {
    std::vector<double> sizes;
    for (const double value : values) sizes.push_back(std::abs(value));
    return median(sizes).value_or(0) * static_cast<double>(std::numeric_limits<float>::epsilon());
  }
  return 0;
}

}  // namespace stats

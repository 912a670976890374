#pragma once
// Numbers as people read them: with the digits that their uncertainty justifies, never "nan". Knows no study. Plain
// ASCII, so that a number quoted from a file is found in another one byte for byte.

#include <optional>
#include <string>

namespace prose {

/// `value` to the decimal place of `half_width`'s second significant digit (Taylor, "An introduction to error
/// analysis", 2nd ed., §2.2); without a half-width, to four significant digits. Scientific outside 1e-4 … 1e7.
/// "not a number" and "infinite" for what is not finite.
std::string rounded(double value, std::optional<double> half_width = std::nullopt);

/// A ratio as percent: 0.123 is "12.3 %".
std::string percent(double ratio, std::optional<double> half_width = std::nullopt);

/// A share to four significant digits: 0.95 is "95 %", 0.00123 is "0.123 %".
std::string share_text(double share);

/// A probability: "0.013", "< 0.0001"; never rounded to 0 or 1.
std::string probability(double p);

/// 0.95 is "95 %", 0.994444 is "99.44 %".
std::string level_text(double level);

/// "12 ms"; without a unit the number alone.
std::string with_unit(const std::string& number, const std::string& unit);

/// Half the width of an interval; if one end is missing (unbounded), the distance from `middle` to the other.
std::optional<double> half_width(std::optional<double> low, std::optional<double> middle, std::optional<double> high);

/// "[1.2, 3.4]"; a missing end is "unbounded", with a round bracket.
std::string interval_text(std::optional<double> low, std::optional<double> high, std::optional<double> half);
std::string percent_interval_text(std::optional<double> low, std::optional<double> high, std::optional<double> half);

/// "1 run", "2 runs".
std::string counted(long long n, const std::string& noun);

/// "1.4 kB", "12 MB": decimal multiples.
std::string bytes_text(long long bytes);

/// "0.4 s", "12 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);

}  // namespace prose

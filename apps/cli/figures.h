#pragma once
// Numbers as people read them: as many digits as they deserve, a unit, and `–` for what is unknown. Values come as
// JSON, where NaN and the infinities are strings.

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cli {

inline constexpr const char* unknown = "–";

/// Four significant digits, integers whole up to 15 digits: `0.01234`, `1234567`, `3.2e-09`.
std::string figure(double value);
/// null → `–`; "NaN" and the infinities as they are.
std::string figure(const nlohmann::json& value);

/// An effect with its two-sided interval `[low, high]` (either end null: unbounded), to the digits that the interval's
/// width justifies: two of its half-width.
struct Estimate {
  std::string value, interval;
};
Estimate estimate(const nlohmann::json& value, const nlohmann::json& interval);

/// Two significant digits; `< 0.0001` below that.
std::string probability(const nlohmann::json& p);
/// `430 ms`, `12.3 s`, `1 min 22 s`, `3 h 05 min`, `2 d 4 h`.
std::string duration(const nlohmann::json& seconds);
/// `812 B`, `1.4 MiB`.
std::string bytes(const nlohmann::json& count);
/// The unit behind a number; nothing without one.
std::string with_unit(const std::string& number, const std::string& unit);

}  // namespace cli

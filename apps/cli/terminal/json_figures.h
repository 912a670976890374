#pragma once
// Members of the contract's JSON as people read them: texts, and numbers in the artifact's own style; `–` for what is
// unknown. In JSON, NaN and the infinities are strings.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cli {

inline constexpr const char* unknown = "–";

/// A member's text; empty where it is null or not there.
std::string text_at(const nlohmann::json&, const char* key);

/// Four significant digits, integers whole; null → `–`; "NaN" and the infinities as they are.
std::string figure(const nlohmann::json& value);

/// An effect with its two-sided interval `[low, high]` (either end null: unbounded), to the digits that the interval's
/// width justifies; as percent where it is a ratio.
struct Estimate {
  std::string value, interval;
};
Estimate estimate(const nlohmann::json& value, const nlohmann::json& interval);
Estimate estimate_percent(const nlohmann::json& ratio, const nlohmann::json& interval);

std::string probability(const nlohmann::json& p);
std::string level(const nlohmann::json& level);
std::string duration(const nlohmann::json& seconds);
std::string bytes(const nlohmann::json& count);
/// The unit behind a number; nothing without one, and for 1, the unit of ratios.
std::string with_unit(const std::string& number, const std::string& unit);

}  // namespace cli

#pragma once
// Members of JSON documents as people read them: texts, and numbers in the style of the artifact; `–` for unknown
// values. In JSON, NaN and the infinities are strings.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace cli {

inline constexpr const char* unknown = "–";

/// A member's text; empty if it is null or missing.
std::string text_at(const nlohmann::json&, const char* key);

/// Four significant digits, integers whole; `–` for null; "NaN" and the infinities unchanged.
std::string figure(const nlohmann::json& value);

/// An effect with its two-sided interval `[low, high]` (null ends are unbounded), with the digits that the interval's
/// width justifies; a ratio as percent.
struct ShownEstimate {
  std::string value, interval;
};
ShownEstimate estimate(const nlohmann::json& value, const nlohmann::json& interval);
ShownEstimate estimate_percent(const nlohmann::json& ratio, const nlohmann::json& interval);

std::string probability(const nlohmann::json& p);
std::string level(const nlohmann::json& level);
std::string duration(const nlohmann::json& seconds);
/// "8 s (7 s to 10 s)" of {"expected","low","high"}; without the range if both ends read like the value.
std::string expected_words(const nlohmann::json& seconds);
std::string bytes(const nlohmann::json& count);
/// The number with its unit; alone if there is none, or if it is 1, the unit of ratios.
std::string with_unit(const std::string& number, const std::string& unit);

}  // namespace cli

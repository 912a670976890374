#pragma once
// What is computed twice, compared: as JSON, so that every member counts. Numbers agree where arithmetic on another
// machine could make no other. Pure.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace artifacts {

struct ValueDifference {
  std::string where;  ///< ".results[0].effect", or "" for all of it.
  std::string found, computed;
};

/// Relative to the larger of two numbers.
inline constexpr double same_number = 1e-9;

std::optional<ValueDifference> first_value_difference(const nlohmann::json& found, const nlohmann::json& computed);

}  // namespace artifacts

#pragma once
// Compares a recorded value with its recomputation, as JSON so that every member counts. Numbers agree if they differ
// by no more than arithmetic on another machine may cause. Pure.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace artifacts {

struct ValueDifference {
  std::string where;  ///< Such as ".results[0].effect"; "" for the whole value.
  std::string found, computed;
};

/// Relative to the larger of two numbers.
inline constexpr double same_number = 1e-9;

std::optional<ValueDifference> first_value_difference(const nlohmann::json& found, const nlohmann::json& computed);

}  // namespace artifacts

#pragma once
// Compares etude.json with what follows from the event log. Pure.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace artifacts {

/// The first difference: ".metrics.time_ms", or "" for the whole value. Unless `exactly`, members that only an older or
/// a newer program writes are no difference.
std::optional<std::string> first_difference(const nlohmann::json& found, const nlohmann::json& expected, bool exactly);

}  // namespace artifacts

#pragma once
// Compares what etude.json says with what the event log gives. Pure.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace artifacts {

/// Where what etude.json says first differs from what the log gives: ".metrics.time_ms", or "" for all of it. Unless
/// `exactly`, members that an older program did not write, or a newer one did, are none.
std::optional<std::string> first_difference(const nlohmann::json& found, const nlohmann::json& expected, bool exactly);

}  // namespace artifacts

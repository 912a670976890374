#include "artifacts/read/json_difference.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace artifacts {

using nlohmann::json;

namespace {

/// Objects whose keys are names of the study, so no key may be added. Other objects may have members that this program
/// does not know.
constexpr std::array<std::string_view, 5> closed{"metrics", "factors", "treatment", "control", "where"};
/// Members that an entry must have. Others may be missing, because older programs did not write them.
constexpr std::array<std::string_view, 9> needed{"id",       "verdict",    "result", "hash", "registration",
                                                 "evidence", "experiment", "state",  "head"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::optional<std::string> first_difference(const json& found, const json& expected, bool exactly) {
  if (expected.is_object() && found.is_object()) {
    // An older program omits members and a newer one adds some; if both happens, a member was renamed.
    bool more = false;
    for (const auto& [key, value] : found.items()) more = more || !expected.contains(key);
    for (const auto& [key, value] : expected.items()) {
      const auto member = found.find(key);
      const bool known = exactly || is_one_of(closed, key);
      if (member == found.end() && !known && !more && !is_one_of(needed, key)) continue;
      if (member == found.end()) return "." + key;
      if (const auto below = first_difference(*member, value, known)) return "." + key + *below;
    }
    for (const auto& [key, value] : found.items())
      if (exactly && !expected.contains(key)) return "." + key;
    return std::nullopt;
  }
  if (expected.is_array() && found.is_array() && expected.size() == found.size()) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (const auto below = first_difference(found[i], expected[i], exactly)) return fmt::format("[{}]{}", i, *below);
    return std::nullopt;
  }
  return found == expected ? std::nullopt : std::optional<std::string>("");
}

}  // namespace artifacts

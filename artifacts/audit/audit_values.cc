#include "artifacts/audit/audit_values.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/text/untrusted_text.h"
#include "kernel/codec/json_types.h"

namespace artifacts {

using nlohmann::json;

namespace {

constexpr std::size_t shown_of_value = 80;

/// JSON with sentences in place of codes, because people read it.
std::string written(json value) {
  kernel::put_in_words(value);
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string shown_value(const json& value) {
  return shortened(written(value), shown_of_value);
}

bool same_scalar(const json& a, const json& b) {
  if (!a.is_number() || !b.is_number()) return a == b;
  if (a.is_number_integer() && b.is_number_integer()) return a == b;
  const double x = a.get<double>(), y = b.get<double>();
  return x == y || std::abs(x - y) <= same_number * std::max(std::abs(x), std::abs(y));
}

}  // namespace

std::optional<ValueDifference> first_value_difference(const json& found, const json& computed) {
  const auto below = [](const std::string& member, std::optional<ValueDifference> difference) {
    if (difference) difference->where = member + difference->where;
    return difference;
  };
  if (found.is_object() && computed.is_object()) {
    for (const auto& [key, value] : computed.items()) {
      const auto member = found.find(key);
      if (member == found.end()) return ValueDifference{"." + key, "missing", shown_value(value)};
      auto difference = below("." + key, first_value_difference(*member, value));
      if (!difference) continue;
      // Of two reasons the sentences are shown; if these are equal, the value that differs.
      const bool reasons = kernel::is_reason(found) && kernel::is_reason(computed);
      if (!reasons || written(found) == written(computed)) return difference;
      auto [was, is] = differing(written(found), written(computed), shown_of_value);
      return ValueDifference{"", std::move(was), std::move(is)};
    }
    for (const auto& [key, value] : found.items())
      if (!computed.contains(key)) return ValueDifference{"." + key, shown_value(value), "nothing"};
    return std::nullopt;
  }
  if (found.is_array() && computed.is_array() && found.size() == computed.size()) {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (auto difference = below(fmt::format("[{}]", i), first_value_difference(found[i], computed[i])))
        return difference;
    return std::nullopt;
  }
  // An event of version 1 has the sentence where one of version 2 has the code.
  if (found.is_string() && kernel::is_reason(computed)) {
    json told = computed;
    kernel::put_in_words(told, 1);
    return first_value_difference(found, told);
  }
  if (same_scalar(found, computed)) return std::nullopt;
  auto [was, is] = differing(written(found), written(computed), shown_of_value);
  return ValueDifference{"", std::move(was), std::move(is)};
}

}  // namespace artifacts

#include "kernel/views/json_parts.h"

#include "base/clock.h"
#include "kernel/codec/json_types.h"

namespace kernel {

using nlohmann::json;

json or_null(const std::string& text) {
  return text.empty() ? json() : json(text);
}

json time_or_null(std::int64_t ms) {
  return ms ? json(iso8601(ms)) : json();
}

json number_or_null(const std::optional<double>& value) {
  return value ? number_json(*value) : json();
}

json interval_shape(const std::optional<double>& low, const std::optional<double>& high) {
  return json::array({number_or_null(low), number_or_null(high)});
}

json margin_shape(const std::optional<Margin>& margin) {
  if (!margin) return json();
  return {{margin->kind == Margin::Kind::relative ? "relative" : "absolute", margin->value}};
}

json cell_shape(const StudySpec& spec, const Cell& cell) {
  json shape = json::object();
  for (const auto& [factor_name, level_name] : cell) {
    const Factor* factor = spec.factor(factor_name);
    const Level* level = factor ? factor->level(level_name) : nullptr;
    const bool number = level && level->bundle.empty() && level->value.number && factor->type != FactorType::text;
    if (number && factor->type == FactorType::integer)
      shape[factor_name] = static_cast<std::int64_t>(*level->value.number);
    else if (number)
      shape[factor_name] = *level->value.number;
    else
      shape[factor_name] = level_name;
  }
  return shape;
}

Cell shown_cell(const json& shape) {
  Cell cell;
  for (const auto& [factor, level] : shape.items())
    cell[factor] = level.is_string() ? level.get<std::string>() : level.dump();
  return cell;
}

}  // namespace kernel

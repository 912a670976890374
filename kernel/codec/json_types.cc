#include "kernel/codec/json_types.h"

#include <cmath>
#include <limits>

namespace kernel {

using nlohmann::json;

std::string_view not_finite_name(double value) {
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

json number_json(double value) {
  if (std::isfinite(value)) return value;
  return not_finite_name(value);
}

double number_from_json(const json& j) {
  if (j.is_number()) return j.get<double>();
  const std::string text = j.is_string() ? j.get<std::string>() : "NaN";
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

#define ETUDE_ENUM(Type, ...)                                    \
  void to_json(nlohmann::json& j, const Type& value) {           \
    j = name(value);                                             \
  }                                                              \
  void from_json(const nlohmann::json& j, Type& value) {         \
    const auto* text = j.get_ptr<const std::string*>();          \
    value = text ? named<Type>(*text).value_or(Type{}) : Type{}; \
  }
#include "kernel/domain/enum_names.def"

}  // namespace kernel

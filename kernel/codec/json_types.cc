#include "kernel/codec/json_types.h"

#include <cmath>
#include <limits>

#include "kernel/wording/wording.h"

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

// No map with names from a person has this form: those contain no objects.
bool is_reason(const json& j) {
  return j.is_object() && j.size() == 2 && j.contains("code") && j["code"].is_string() && j.contains("with") &&
         j["with"].is_object();
}

void to_json(json& j, const Reason& reason) {
  if (reason.code == ReasonCode::words) {
    j = reason.text;
    return;
  }
  json with = json::object();
  for (const auto& [key, held] : reason.values) {
    json& value = with[key];
    std::visit([&](const auto& any) { value = any; }, held);
    if (const auto* real = std::get_if<double>(&held); real && !std::isfinite(*real))
      value = {{"number", number_json(*real)}};
  }
  j = {{"code", name(reason.code)}, {"with", std::move(with)}};
}

void from_json(const json& j, Reason& reason) {
  reason = {};
  if (j.is_string()) {
    reason.text = j;
    return;
  }
  const std::string code = j.at("code");
  reason.code = named<ReasonCode>(code).value_or(ReasonCode::words);
  if (reason.code == ReasonCode::words)
    throw json::type_error::create(302, "the reason " + code + " is newer than this program", &j);
  for (const auto& [key, value] : j.at("with").items()) {
    ReasonValue& held = reason.values[key];
    if (value.is_number_integer())
      held = value.get<std::int64_t>();
    else if (value.is_number())
      held = value.get<double>();
    else if (value.is_object())
      held = number_from_json(value.at("number"));
    else if (value.is_array())
      held = value.get<std::vector<Reason>>();
    else
      held = value.get<std::string>();
  }
}

void put_in_words(json& j, int wording) {
  if (is_reason(j))
    j = sentence(j.get<Reason>(), wording);
  else if (j.is_structured())
    for (json& member : j) put_in_words(member, wording);
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

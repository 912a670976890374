#pragma once
// How json_spec.cc and json_records.cc define the JSON of plain structs and enumerations. Include nowhere else.

#include <vector>

#include "kernel/json_types.h"

namespace kernel {

template <typename T>
struct Named {
  T value;
  const char* name;
};

template <typename T>
const char* name_in(T value, const std::vector<Named<T>>& table) {
  for (const Named<T>& entry : table)
    if (entry.value == value) return entry.name;
  return table.front().name;
}

template <typename T>
T value_in(const nlohmann::json& j, const std::vector<Named<T>>& table) {
  for (const Named<T>& entry : table)
    if (j == entry.name) return entry.value;
  return table.front().value;
}

#define ETUDE_ENUM(Type, ...)                                  \
  void to_json(nlohmann::json& j, const Type& value) {         \
    j = name_in(value, std::vector<Named<Type>> __VA_ARGS__);  \
  }                                                            \
  void from_json(const nlohmann::json& j, Type& value) {       \
    value = value_in(j, std::vector<Named<Type>> __VA_ARGS__); \
  }

// Members by name; a missing one keeps its default, so that a newer reader takes an older record.
#define ETUDE_JSON(Type, ...)                                                               \
  void to_json(nlohmann::json& nlohmann_json_j, const Type& nlohmann_json_t) {              \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                \
  }                                                                                         \
  void from_json(const nlohmann::json& nlohmann_json_j, Type& nlohmann_json_t) {            \
    const Type nlohmann_json_default_obj{};                                                 \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, __VA_ARGS__)) \
  }

}  // namespace kernel

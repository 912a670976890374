#pragma once
// JSON of optional values: null if there is none. Include it before any other use of an optional's JSON.

#include <optional>

#include <nlohmann/json.hpp>

namespace nlohmann {
template <typename Optional, typename T>
struct optional_serializer {
  static void to_json(json& j, const Optional& value) {
    if (value)
      j = *value;
    else
      j = nullptr;
  }
  static void from_json(const json& j, Optional& value) {
    if (j.is_null())
      value.reset();
    else
      value = j.get<T>();
  }
};
template <typename T>
struct adl_serializer<std::optional<T>> : optional_serializer<std::optional<T>, T> {};
}  // namespace nlohmann

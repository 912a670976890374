#pragma once
// Macros with which json_spec.cc and json_records.cc define the JSON of plain structs. No other file includes this.

#include <vector>

#include "kernel/codec/json_types.h"

namespace kernel {

// One instantiation per member type; nlohmann's own macros make one per member, which takes minutes to compile.
template <typename T>
void write_member(nlohmann::json::object_t& object, const char* name, const T& value) {
  object[name] = value;
}
template <typename T>
void read_member(const nlohmann::json& object, const char* name, T& value) {
  const auto found = object.find(std::string(name));
  if (found != object.end()) found->get_to(value);
}

#define ETUDE_WRITE_MEMBER(member) write_member(object, #member, value.member);
#define ETUDE_READ_MEMBER(member) read_member(j, #member, value.member);

/// Members of later versions are written only if they are set, so that older records keep their bytes.
template <typename T>
void write_if_any(nlohmann::json::object_t& object, const char* name, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    if (value != T{}) object[name] = value;
  } else {
    if (!value.empty()) object[name] = value;
  }
}
template <typename T>
void write_if_any(nlohmann::json::object_t& object, const char* name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}
template <typename T>
void write_if_any(nlohmann::json::object_t& object, const char* name, const BoxedOptional<T>& value) {
  if (value) object[name] = *value;
}
inline void write_if_any(nlohmann::json::object_t& object, const char* name, bool value) {
  if (value) object[name] = value;
}
inline void write_if_any(nlohmann::json::object_t& object, const char* name, int value) {
  if (value != 0) object[name] = value;
}
inline void write_if_any(nlohmann::json::object_t& object, const char* name, Tier value) {
  if (value != Tier::none) object[name] = value;
}

#define ETUDE_WRITE_LATER(member) write_if_any(object, #member, value.member);

// Members by name. A missing one keeps its default, so that this program reads older records.
#define ETUDE_JSON(Type, ...)                                                                         \
  void to_json(nlohmann::json& j, const Type& value) {                                                \
    nlohmann::json::object_t object;                                                                  \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(ETUDE_WRITE_MEMBER, __VA_ARGS__))                        \
    j = std::move(object);                                                                            \
  }                                                                                                   \
  void from_json(const nlohmann::json& j, Type& value) {                                              \
    if (!j.is_object()) throw nlohmann::json::type_error::create(302, #Type " is not an object", &j); \
    value = Type{};                                                                                   \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(ETUDE_READ_MEMBER, __VA_ARGS__))                         \
  }

// The same, but members that `Later` lists in brackets are written only if they are not empty.
#define ETUDE_JSON_LATER(Type, Later, ...)                                                            \
  void to_json(nlohmann::json& j, const Type& value) {                                                \
    nlohmann::json::object_t object;                                                                  \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(ETUDE_WRITE_MEMBER, __VA_ARGS__))                        \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(ETUDE_WRITE_LATER, ETUDE_UNWRAP Later))                  \
    j = std::move(object);                                                                            \
  }                                                                                                   \
  void from_json(const nlohmann::json& j, Type& value) {                                              \
    if (!j.is_object()) throw nlohmann::json::type_error::create(302, #Type " is not an object", &j); \
    value = Type{};                                                                                   \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(ETUDE_READ_MEMBER, __VA_ARGS__))                         \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(ETUDE_READ_MEMBER, ETUDE_UNWRAP Later))                  \
  }
#define ETUDE_UNWRAP(...) __VA_ARGS__

}  // namespace kernel

#include "kernel/codec/json_schema.h"

#include <type_traits>
#include <utility>

#include "kernel/codec/json_types.h"
#include "kernel/codec/records_of_texts.h"

namespace kernel {

using nlohmann::json;

namespace {

class Schemas;
struct Members;

/// The members of a record; defined for each type of the list.
template <typename T>
struct Record;
#define ETUDE_JSON(Type, ...)                    \
  template <>                                    \
  struct Record<Type> {                          \
    static constexpr const char* name = #Type;   \
    [[maybe_unused]] static void list(Members&); \
  };
#define ETUDE_JSON_LATER(Type, ...) ETUDE_JSON(Type)
#include "kernel/codec/json_records.def"

template <template <typename...> typename Kind, typename T>
constexpr bool is_a = false;
template <template <typename...> typename Kind, typename... Types>
constexpr bool is_a<Kind, Kind<Types...>> = true;
template <typename T>
constexpr bool is_pair_of = false;
template <typename T, std::size_t N>
constexpr bool is_pair_of<std::array<T, N>> = true;

template <typename T>
constexpr bool may_be_missing = is_a<std::optional, T> || is_a<BoxedOptional, T>;

json type(const char* name) {
  return {{"type", name}};
}

json reference(std::string_view record) {
  return {{"$ref", "#/components/schemas/" + schema_name(record)}};
}

json or_null(json schema) {
  return {{"anyOf", {std::move(schema), type("null")}}};
}

json list_of(json element) {
  return {{"type", "array"}, {"items", std::move(element)}};
}

json map_of(json value) {
  return {{"type", "object"}, {"additionalProperties", std::move(value)}};
}

template <typename E>
json enum_schema() {
  json schema = type("string");
  for (const std::string_view one : EnumNames<E>::all) schema["enum"].push_back(one);
  return schema;
}

/// One object for each kind of source, from what it writes: its kind and texts.
template <typename... Kinds>
json sources(const std::variant<Kinds...>*) {
  json any;
  const auto add = [&](const MetricSource& source) {
    json schema = type("object");
    const json written = source;
    for (const auto& [member, value] : written.items()) {
      schema["properties"][member] = member == "from" ? json{{"const", value}} : type("string");
      schema["required"].push_back(member);
    }
    any["oneOf"].push_back(std::move(schema));
  };
  (add(Kinds{}), ...);
  return any;
}

/// Collects the schemas of the records that it meets.
class Schemas {
 public:
  json all = json::object();

  template <typename T>
  json of() {
    if constexpr (std::is_same_v<T, bool>)
      return type("boolean");
    else if constexpr (std::is_integral_v<T>)
      return type("integer");
    else if constexpr (std::is_floating_point_v<T>)
      return type("number");
    else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Reason> || is_a<Identifier, T>)
      return type("string");
    else if constexpr (std::is_enum_v<T>)
      return enum_schema<T>();
    else if constexpr (may_be_missing<T>)
      return or_null(of<typename T::value_type>());
    else if constexpr (is_a<std::vector, T>)
      return list_of(of<typename T::value_type>());
    else if constexpr (is_pair_of<T>)
      return pair_of<T>();
    else if constexpr (is_a<std::map, T>)
      return map_of(of<typename T::mapped_type>());
    else
      return record<T>();
  }

 private:
  template <typename T>
  json pair_of() {
    json schema = list_of(of<typename T::value_type>());
    schema["minItems"] = schema["maxItems"] = std::tuple_size_v<T>;
    return schema;
  }

  template <typename T>
  json record() {
    if constexpr (std::is_same_v<T, MetricSource>)
      return named_schema("MetricSource", [] { return sources(static_cast<const MetricSource*>(nullptr)); });
    else if constexpr (std::is_same_v<T, MetricValue>)
      return named_schema("MetricValue", metric_value);
    else if constexpr (std::is_same_v<T, LineOpened>)
      return named_schema("LineOpened", [this] { return line_opened(); });
    else if constexpr (std::is_same_v<T, StudyRequirement>)
      return named_schema("StudyRequirement", [this] { return object<RequirementOfTexts>(); });
    else if constexpr (std::is_same_v<T, Node>)
      return named_schema("Node", [this] { return object<NodeOfTexts>(); });
    else
      return named_schema(Record<T>::name, [this] { return object<T>(); });
  }

  template <typename Make>
  json named_schema(const char* record_name, Make make) {
    const std::string name = schema_name(record_name);
    if (!all.contains(name)) all[name] = make();
    return reference(record_name);
  }

  template <typename T>
  json object();

  static json metric_value() {
    json not_finite = type("string");
    not_finite["enum"] = {"NaN", "Infinity", "-Infinity"};
    return {{"type", "object"},
            {"required", {"value"}},
            {"properties",
             {{"value", {{"anyOf", {type("number"), std::move(not_finite)}}}},
              {"censored", type("boolean")},
              {"worst", type("boolean")}}}};
  }

  json line_opened() {
    return {{"type", "object"},
            {"required", {"line", "role", "about"}},
            {"properties",
             {{"line", type("string")},
              {"role", type("string")},
              {"about", type("string")},
              {"subject", of<LineSubject>()}}}};
  }
};

struct Members {
  Schemas& schemas;
  json object = type("object");

  template <typename T>
  void always(const char* name) {
    object["properties"][name] = schemas.of<T>();
    object["required"].push_back(name);
  }
  /// Absent where it is not set, so never null.
  template <typename T>
  void later(const char* name) {
    if constexpr (may_be_missing<T>)
      object["properties"][name] = schemas.of<typename T::value_type>();
    else
      object["properties"][name] = schemas.of<T>();
  }
};

template <typename T>
json Schemas::object() {
  Members members{*this};
  Record<T>::list(members);
  return std::move(members.object);
}

#define ETUDE_ALWAYS(member) members.always<decltype(One::member)>(#member);
#define ETUDE_LATER(member) members.later<decltype(One::member)>(#member);
#define ETUDE_EACH(Do, ...) NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(Do, __VA_ARGS__))
#define ETUDE_UNWRAP(...) __VA_ARGS__
#define ETUDE_JSON(Type, ...)                 \
  void Record<Type>::list(Members& members) { \
    using One = Type;                         \
    ETUDE_EACH(ETUDE_ALWAYS, __VA_ARGS__)     \
  }
#define ETUDE_JSON_LATER(Type, Later, ...)                                            \
  void Record<Type>::list(Members& members) {                                         \
    using One = Type;                                                                 \
    ETUDE_EACH(ETUDE_ALWAYS, __VA_ARGS__) ETUDE_EACH(ETUDE_LATER, ETUDE_UNWRAP Later) \
  }
#include "kernel/codec/json_records.def"

}  // namespace

std::string schema_name(std::string_view record) {
  return "record_" + std::string(record);
}

json record_schemas() {
  Schemas schemas;
#define ETUDE_EVENT(Type, ...) schemas.of<Type>();
#include "kernel/domain/events.def"
  return std::move(schemas.all);
}

}  // namespace kernel

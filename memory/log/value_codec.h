#pragma once
// Plain values as bytes and back, member by member without names, so that a member that somebody adds cannot be
// forgotten. Only for data that the same program wrote and may discard: the layout is compared first, and bytes that
// are read are not trusted. Structs are aggregates of at most 72 members, as in Boost.PFR, which Debian 12 lacks.

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <boost/preprocessor/repetition/enum_params.hpp>
#include <boost/preprocessor/repetition/repeat_from_to.hpp>
#include <nlohmann/json.hpp>

#include "base/boxed_optional.h"
#include "base/utf8.h"
#include "kernel/domain/identifiers.h"

namespace memory {

namespace members {

/// Converts to the type of any member; never evaluated.
struct Anything {
  template <typename T>
  operator T() const;
};

template <typename T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires {
    T{(static_cast<void>(I), Anything{})...};
  };
}

template <typename T, std::size_t N = 72>
constexpr std::size_t count() {
  if constexpr (takes<T>(std::make_index_sequence<N>()))
    return N;
  else
    return count<T, N - 1>();
}

}  // namespace members

/// Calls `each` with every member in the order of declaration.
template <typename T, typename Each>
void each_member(T& value, const Each& each) {
  constexpr std::size_t n = members::count<std::remove_const_t<T>>();
  static_assert(!members::takes<std::remove_const_t<T>>(std::make_index_sequence<73>()),
                "more members than are spelled");
  const auto all = [&each](auto&... member) { (each(member), ...); };
  if constexpr (n == 0) return;
#define MEMORY_STRUCT_OF(z, count, unused)               \
  else if constexpr (n == count) {                       \
    auto& [BOOST_PP_ENUM_PARAMS_Z(z, count, m)] = value; \
    all(BOOST_PP_ENUM_PARAMS_Z(z, count, m));            \
  }
  BOOST_PP_REPEAT_FROM_TO(1, 73, MEMORY_STRUCT_OF, unused)
#undef MEMORY_STRUCT_OF
}

/// Of a struct that consists of bases (`T::each_part`), the members of each.
template <typename T, typename Each>
requires requires(T& value) {
  T::each_part(value, [](auto&) {});
}
void each_member(T& value, const Each& each) {
  T::each_part(value, [&each](auto& part) { each_member(part, each); });
}

namespace shape {
/// True if T is an instance of the class template.
template <typename T, template <typename...> typename Of>
inline constexpr bool is_a = false;
template <template <typename...> typename Of, typename... Arguments>
inline constexpr bool is_a<Of<Arguments...>, Of> = true;

template <typename T>
inline constexpr bool is_name = is_a<T, kernel::Identifier>;
template <typename T>
inline constexpr bool is_list = is_a<T, std::vector> || is_a<T, std::deque> || is_a<T, std::set> || is_a<T, std::map>;
template <typename T>
inline constexpr bool is_optional = is_a<T, std::optional> || is_a<T, kernel::BoxedOptional>;
template <typename T>
inline constexpr bool is_variant = is_a<T, std::variant>;
template <typename T>
inline constexpr bool is_pair = is_a<T, std::pair>;
template <typename T>
inline constexpr bool is_array = false;
template <typename T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;
}  // namespace shape

/// The text as the event log keeps it. Malformed UTF-8 is replaced in `replaced`, which then holds the result.
inline std::string_view as_logged(const std::string& text, std::string& replaced) {
  if (kernel::valid_utf8(text)) return text;
  using nlohmann::json;
  return replaced = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

class ValueWriter {
 public:
  template <typename T>
  void add(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      number(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_integral_v<T>) {
      const auto wide = static_cast<std::int64_t>(value);
      number(static_cast<std::uint64_t>(wide) << 1 ^
             static_cast<std::uint64_t>(wide >> 63));  // Zigzag: small for numbers close to 0 on either side.
    } else if constexpr (std::is_floating_point_v<T>) {
      const double real = value != value ? std::numeric_limits<double>::quiet_NaN() : value;
      bytes_.append(reinterpret_cast<const char*>(&real), sizeof real);
    } else if constexpr (std::is_same_v<T, std::string>) {
      std::string replaced;
      const std::string_view text = as_logged(value, replaced);
      number(text.size());
      bytes_ += text;
    } else if constexpr (shape::is_name<T>) {
      add(value.text());
    } else if constexpr (shape::is_optional<T>) {
      add(value.has_value());
      if (value) add(*value);
    } else if constexpr (shape::is_variant<T>) {
      number(value.index());
      std::visit([this](const auto& held) { add(held); }, value);
    } else if constexpr (shape::is_list<T>) {
      number(value.size());
      for (const auto& entry : value) add(entry);
    } else if constexpr (shape::is_array<T>) {
      for (const auto& entry : value) add(entry);
    } else if constexpr (shape::is_pair<T>) {
      add(value.first);
      add(value.second);
    } else if constexpr (!std::is_empty_v<T>) {
      each_member(value, [this](const auto& member) { add(member); });
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  void number(std::uint64_t n) {
    for (; n >= 128; n >>= 7) bytes_ += static_cast<char>(n | 128);
    bytes_ += static_cast<char>(n);
  }
  std::string bytes_;
};

/// Throws std::runtime_error if the bytes are not those of such a value.
class ValueReader {
 public:
  explicit ValueReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  void get(T& value) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(number());
    } else if constexpr (std::is_integral_v<T>) {
      const std::uint64_t n = number();
      value = static_cast<T>(static_cast<std::int64_t>(n >> 1 ^ (0 - (n & 1))));
    } else if constexpr (std::is_floating_point_v<T>) {
      double real = 0;
      std::memcpy(&real, taken(sizeof real).data(), sizeof real);
      value = real;
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = taken(number());
    } else if constexpr (shape::is_name<T>) {
      value = T(std::string(taken(number())));
    } else if constexpr (shape::is_optional<T>) {
      bool there = false;
      get(there);
      if (there) get(value.emplace());
    } else if constexpr (shape::is_variant<T>) {
      alternative(value, number());
    } else if constexpr (shape::is_list<T>) {
      list(value, number());
    } else if constexpr (shape::is_array<T>) {
      for (auto& entry : value) get(entry);
    } else if constexpr (!std::is_empty_v<T>) {
      each_member(value, [this](auto& member) { get(member); });
    }
  }
  bool done() const { return rest_.empty(); }

 private:
  template <typename T>
  void list(T& value, std::uint64_t size) {
    value.clear();
    for (std::uint64_t i = 0; i < size; ++i) {
      if constexpr (requires { typename T::mapped_type; }) {
        typename T::key_type key{};
        get(key);
        get(value.emplace_hint(value.end(), std::move(key), typename T::mapped_type{})->second);
      } else {
        typename T::value_type entry{};
        get(entry);
        if constexpr (requires { value.push_back(std::move(entry)); })
          value.push_back(std::move(entry));
        else
          value.insert(value.end(), std::move(entry));
      }
    }
  }
  template <std::size_t I = 0, typename... T>
  void alternative(std::variant<T...>& value, std::uint64_t index) {
    if constexpr (I < sizeof...(T)) {
      if (index == I)
        get(value.template emplace<I>());
      else
        alternative<I + 1>(value, index);
    } else {
      throw std::runtime_error("no such alternative");
    }
  }
  std::string_view taken(std::uint64_t size) {
    if (size > rest_.size()) throw std::runtime_error("the value ends early");
    const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return bytes;
  }
  std::uint64_t number() {
    std::uint64_t n = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(taken(1)[0]);
      n |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) break;
    }
    return n;
  }
  std::string_view rest_;
};

/// Describes the bytes of a T. Programs with equal descriptions can read each other's bytes.
template <typename T>
std::string layout_of() {
  if constexpr (std::is_enum_v<T>)
    return "e";
  else if constexpr (std::is_integral_v<T>)
    return "i";
  else if constexpr (std::is_floating_point_v<T>)
    return "r";
  else if constexpr (std::is_same_v<T, std::string> || shape::is_name<T>)
    return "s";
  else if constexpr (shape::is_pair<T>)
    return layout_of<std::remove_const_t<typename T::first_type>>() + layout_of<typename T::second_type>();
  else if constexpr (shape::is_variant<T>)
    return []<typename... A>(const std::variant<A...>*) {
      return "<" + ((layout_of<A>() + "|") + ...) + ">";
    }(static_cast<const T*>(nullptr));
  else if constexpr (shape::is_optional<T>)
    return "?" + layout_of<typename T::value_type>();
  else if constexpr (shape::is_array<T>)
    return std::to_string(std::tuple_size_v<T>) + layout_of<typename T::value_type>();
  else if constexpr (shape::is_list<T>)
    return "*" + layout_of<typename T::value_type>();
  else if constexpr (std::is_empty_v<T>)
    return "()";
  else {
    static thread_local bool inside = false;  // A value may hold others of its own type.
    if (inside) return "^";
    inside = true;
    std::string all = "(";
    const auto value = std::make_unique<T>();
    each_member(*value, [&all](auto& member) { all += layout_of<std::remove_reference_t<decltype(member)>>(); });
    inside = false;
    return all + ")";
  }
}

}  // namespace memory

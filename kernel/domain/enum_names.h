#pragma once
// The names of enumerators in events, JSON and output for people. enum_names.def lists them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/domain/journal.h"
#include "kernel/domain/search_records.h"

namespace kernel {

template <typename E>
struct EnumNames;

#define ETUDE_ENUM(Type, last, ...)                                                               \
  template <>                                                                                     \
  struct EnumNames<Type> {                                                                        \
    static constexpr auto all = std::to_array<std::string_view>({__VA_ARGS__});                   \
    static_assert(all.size() == static_cast<std::size_t>(Type::last) + 1, #Type " lacks a name"); \
  };                                                                                              \
  constexpr std::string_view name(Type value) {                                                   \
    return EnumNames<Type>::all[static_cast<std::size_t>(value)];                                 \
  }
#include "kernel/domain/enum_names.def"

template <>
struct EnumNames<ReasonCode> {
  static constexpr auto all = std::to_array<std::string_view>({
      "words",
#define ETUDE_REASON(Code, ...) #Code,
#include "kernel/domain/reasons.def"
  });
};
constexpr std::string_view name(ReasonCode code) {
  return EnumNames<ReasonCode>::all[static_cast<std::size_t>(code)];
}

template <typename E>
constexpr auto enumerators() {
  std::array<E, EnumNames<E>::all.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<E>(i);
  return all;
}

/// The name for people, e.g. "timed out".
template <typename E>
std::string words_of(E value) {
  std::string words(name(value));
  std::ranges::replace(words, '_', ' ');
  return words;
}

/// The status of a claim with this verdict. A claim that was neither supported nor refuted stays a hypothesis.
inline std::string claim_status(Verdict verdict) {
  return verdict == Verdict::supported || verdict == Verdict::refuted ? std::string(name(verdict)) : "hypothesis";
}

/// The enumerator with that name; none if the name is unknown.
template <typename E>
constexpr std::optional<E> named(std::string_view name) {
  const auto& all = EnumNames<E>::all;
  const auto found = std::ranges::find(all, name);
  return found == all.end() ? std::nullopt : std::optional(static_cast<E>(found - all.begin()));
}

}  // namespace kernel

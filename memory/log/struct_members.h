#pragma once
// The members of a plain struct, one after the other, without naming them: what stores whole values this way cannot
// forget a member that somebody adds. What Boost.PFR does, of which Debian 12's Boost has none. Aggregates without
// bases and of at most 72 members.

#include <cstddef>
#include <utility>

#include <boost/preprocessor/repetition/enum_params.hpp>
#include <boost/preprocessor/repetition/repeat_from_to.hpp>

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

}  // namespace memory

#pragma once
// What gzip packed, up to a size. Any bytes may come. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace agents {

struct Unpacked {
  std::string bytes;
  bool whole = true;  ///< There is no more of it.
};

/// None: it is broken before a first byte came out, or no gzip.
std::optional<Unpacked> unpack_gzip(std::string_view packed, std::size_t most);

}  // namespace agents

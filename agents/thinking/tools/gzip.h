#pragma once
// Unpacks gzip data up to a limit. Takes any bytes. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace agents {

struct Unpacked {
  std::string bytes;
  bool whole = true;  ///< Whether `bytes` is all of the content.
};

/// None if it is no gzip, or broken before the first byte of content.
std::optional<Unpacked> unpack_gzip(std::string_view packed, std::size_t most);

}  // namespace agents

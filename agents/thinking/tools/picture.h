#pragma once
// What kind of picture some bytes are, and how large, by their first bytes alone. Any bytes may come. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace agents {

struct Picture {
  std::string media_type;  ///< image/png, image/jpeg, image/gif or image/webp.
  unsigned width = 0, height = 0;
};

/// None: it is none of these, or broken before its size is said.
std::optional<Picture> picture_of(std::string_view bytes);

}  // namespace agents

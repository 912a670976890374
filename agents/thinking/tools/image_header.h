#pragma once
// The format and size of a picture, from its first bytes. Takes any bytes. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace agents {

struct ImageHeader {
  std::string media_type;  ///< image/png, image/jpeg, image/gif or image/webp.
  unsigned width = 0, height = 0;
};

/// None if it is none of these formats, or too short to state its size.
std::optional<ImageHeader> image_header_of(std::string_view bytes);

}  // namespace agents

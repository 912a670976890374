#pragma once
// Reads two kinds of files from their bytes: unpacks gzip data, and finds the format and size of a picture. Takes any
// bytes. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace agents {

struct Unpacked {
  std::string bytes;
  bool whole = true;  ///< Whether `bytes` is all of the content.
};

/// Unpacks up to `most` bytes of content. None if it is no gzip, or broken before the first byte of content.
std::optional<Unpacked> unpack_gzip(std::string_view packed, std::size_t most);

struct ImageHeader {
  std::string media_type;  ///< image/png, image/jpeg, image/gif or image/webp.
  unsigned width = 0, height = 0;
};

/// From the file's first bytes. None if it is none of these formats, or too short to state its size.
std::optional<ImageHeader> image_header_of(std::string_view bytes);

}  // namespace agents

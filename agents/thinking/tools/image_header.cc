#include "agents/thinking/tools/file_formats.h"

namespace agents {

namespace {

/// The number at `at`; 0, which is no size, if there are too few bytes.
unsigned number_at(std::string_view bytes, std::size_t at, int count, bool big_end) {
  unsigned number = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t place = at + static_cast<std::size_t>(big_end ? i : count - 1 - i);
    number = number << 8 | (place < bytes.size() ? static_cast<unsigned char>(bytes[place]) : 0u);
  }
  return number;
}

/// The frame's header comes after segments of stated lengths (ITU T.81, B.1).
ImageHeader jpeg(std::string_view bytes) {
  ImageHeader picture{"image/jpeg"};
  for (std::size_t at = 2; at + 9 < bytes.size();) {
    if (bytes[at] != '\xff') break;
    const unsigned marker = static_cast<unsigned char>(bytes[at + 1]);
    if (marker == 0xff) {
      ++at;
      continue;
    }
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) {
      picture.height = number_at(bytes, at + 5, 2, true);
      picture.width = number_at(bytes, at + 7, 2, true);
    }
    if (frame || marker == 0xda || marker == 0xd9) break;
    const unsigned length = number_at(bytes, at + 2, 2, true);
    if (length < 2) break;
    at += 2 + length;
  }
  return picture;
}

/// Three kinds of chunks may come first (RFC 9649).
ImageHeader webp(std::string_view bytes) {
  ImageHeader picture{"image/webp"};
  const std::string_view kind = bytes.substr(12, 4);
  if (kind == "VP8X") {
    picture.width = number_at(bytes, 24, 3, false) + 1;
    picture.height = number_at(bytes, 27, 3, false) + 1;
  } else if (kind == "VP8L" && bytes.size() > 24) {
    const unsigned bits = number_at(bytes, 21, 4, false);
    picture.width = (bits & 0x3fff) + 1;
    picture.height = (bits >> 14 & 0x3fff) + 1;
  } else if (kind == "VP8 ") {
    picture.width = number_at(bytes, 26, 2, false) & 0x3fff;
    picture.height = number_at(bytes, 28, 2, false) & 0x3fff;
  }
  return picture;
}

}  // namespace

std::optional<ImageHeader> image_header_of(std::string_view bytes) {
  ImageHeader picture;
  if (bytes.starts_with(std::string_view("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16)))
    picture = {"image/png", number_at(bytes, 16, 4, true), number_at(bytes, 20, 4, true)};
  else if (bytes.starts_with("\xff\xd8\xff"))
    picture = jpeg(bytes);
  else if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a"))
    picture = {"image/gif", number_at(bytes, 6, 2, false), number_at(bytes, 8, 2, false)};
  else if (bytes.size() > 30 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP")
    picture = webp(bytes);
  if (picture.width == 0 || picture.height == 0) return std::nullopt;
  return picture;
}

}  // namespace agents

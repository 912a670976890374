#include "base/utf8.h"

#include <cstdint>
#include <cstring>

#include "base/assert.h"

namespace kernel {

namespace {

/// Length of the sequence that starts at `p`; 0 if it is malformed. Unicode 15, table 3-7.
std::size_t sequence(const unsigned char* p, std::size_t left) {
  const auto follows = [&](std::size_t i, unsigned char low = 0x80, unsigned char high = 0xBF) {
    return i < left && p[i] >= low && p[i] <= high;
  };
  const unsigned char first = p[0];
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first == 0xE0) return follows(1, 0xA0) && follows(2) ? 3 : 0;
  if (first == 0xED) return follows(1, 0x80, 0x9F) && follows(2) ? 3 : 0;
  if (first >= 0xE1 && first <= 0xEF) return follows(1) && follows(2) ? 3 : 0;
  if (first == 0xF0) return follows(1, 0x90) && follows(2) && follows(3) ? 4 : 0;
  if (first >= 0xF1 && first <= 0xF3) return follows(1) && follows(2) && follows(3) ? 4 : 0;
  if (first == 0xF4) return follows(1, 0x80, 0x8F) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

}  // namespace

bool valid_utf8(std::string_view bytes) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (i + 8 <= bytes.size()) {
      std::uint64_t eight;
      std::memcpy(&eight, p + i, 8);
      if ((eight & 0x8080808080808080u) == 0) {
        i += 8;
        continue;
      }
    }
    const std::size_t length = sequence(p + i, bytes.size() - i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

Utf8Character utf8_at(std::string_view bytes, std::size_t at) {
  ETUDE_ASSERT(at < bytes.size());
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data()) + at;
  const std::size_t length = sequence(p, bytes.size() - at);
  if (length <= 1) return {length == 0 ? char32_t{0} : char32_t{*p}, length};
  char32_t code = p[0] & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (p[i] & 0x3Fu);
  return {code, length};
}

std::string_view utf8_prefix(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && !begins_utf8(text[most])) --most;
  return text.substr(0, most);
}

void append_utf8(std::string& text, char32_t code) {
  ETUDE_ASSERT(code <= 0x10FFFF);
  const auto put = [&text](char32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 63));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 63));
    put(0x80 | (code & 63));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 63));
    put(0x80 | (code >> 6 & 63));
    put(0x80 | (code & 63));
  }
}

}  // namespace kernel

#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace kernel {

namespace {

/// Length of the sequence that starts at `p`, or 0 when it is malformed. Unicode 15, table 3-7.
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

}  // namespace kernel

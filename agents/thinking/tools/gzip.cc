#include <algorithm>
#include <limits>

#include <zlib.h>

#include "agents/thinking/tools/file_formats.h"

namespace agents {

std::optional<Unpacked> unpack_gzip(std::string_view packed, std::size_t most) {
  constexpr std::size_t step = 1 << 16;
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return std::nullopt;
  packed = packed.substr(0, std::numeric_limits<uInt>::max());
  // zlib's interface is older than `const`.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  Unpacked out;
  while (true) {
    if (out.bytes.size() >= most) {
      out.whole = false;
      break;
    }
    const std::size_t before = out.bytes.size(), room = std::min(step, most - before);
    out.bytes.resize(before + room);
    stream.next_out = reinterpret_cast<Bytef*>(out.bytes.data() + before);
    stream.avail_out = static_cast<uInt>(room);
    const int code = inflate(&stream, Z_NO_FLUSH);
    out.bytes.resize(before + room - stream.avail_out);
    if (code == Z_STREAM_END) {
      if (stream.avail_in == 0) break;
      // Members follow one another.
      if (inflateReset(&stream) == Z_OK) continue;
    }
    if (code == Z_OK && (stream.avail_in > 0 || stream.avail_out == 0)) continue;
    out.whole = false;
    break;
  }
  inflateEnd(&stream);
  return out.bytes.empty() && !out.whole ? std::nullopt : std::optional(std::move(out));
}

}  // namespace agents

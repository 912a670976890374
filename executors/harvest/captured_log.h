#pragma once
// A run's captured streams at their logical offsets, while it runs and after: the first and the last 8 MB, and a line
// in place of what lies between. Reads files only; safe beside a supervisor that writes them.

#include <cstdint>
#include <string>

namespace executors {

enum class Stream { out, err };

/// Bytes [0, head) and [tail, length) are kept.
struct LogExtent {
  std::uint64_t head = 0, tail = 0, length = 0;
};
LogExtent log_extent(const std::string& run_folder, Stream);

/// The kept bytes of [offset, offset + count); `[etude: N bytes left out]` on a line of its own where the range meets
/// the gap.
std::string read_log(const std::string& run_folder, Stream, std::uint64_t offset, std::uint64_t count);

}  // namespace executors

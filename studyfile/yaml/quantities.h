#pragma once
// Numbers with a unit, as people write them in study files and on the command line.

#include <cstdint>
#include <optional>
#include <string_view>

namespace studyfile {

/// Seconds: `500ms`, `60s`, `1.5m`, `2h`; at most ten years.
std::optional<double> duration_s(std::string_view text);
/// Bytes: `512M`, `1.5G`; K, M, G and T are powers of 1024; at most 2^60.
std::optional<std::int64_t> size_bytes(std::string_view text);

}  // namespace studyfile

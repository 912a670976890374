#include "artifacts/write/opening.h"

#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "artifacts/read/record.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/write/etude_json.h"

namespace artifacts {

namespace {

/// Without its end; empty if it is longer than 16 MB, which no event that opens a study is.
std::string first_line(const SafeRoot& root, const std::string& path) {
  for (std::uint64_t limit = 64U << 10; limit <= 16U << 20; limit *= 16) {
    std::string line;
    bool whole = false;
    root.stream(path, limit, [&](std::string_view piece) {
      if (whole) return;
      const std::size_t end = piece.find('\n');
      whole = end != piece.npos;
      line += piece.substr(0, end);
    });
    if (whole) return line;
  }
  return {};
}

}  // namespace

std::optional<Opening> opening_of(const std::string& folder) {
  const auto root = SafeRoot::open(folder);
  if (!root || root->look(etude_json_file).kind != FileKind::regular) return std::nullopt;
  const nlohmann::json event = nlohmann::json::parse(first_line(*root, log_file), nullptr, false);
  if (!event.is_object()) return std::nullopt;
  const auto study = event.find("study"), hash = event.find("hash");
  if (study == event.end() || hash == event.end() || !study->is_string() || !hash->is_string()) return std::nullopt;
  return Opening{*study, *hash};
}

}  // namespace artifacts

#pragma once
// JSON as lines of text: where it stops being JSON, and where its members stand, which parsed values no longer know.
// Knows nothing of the artifact. Pure.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// The first line that is no JSON (RFC 8259). Nothing where all of it is, numbers that no double holds included.
std::optional<int> line_of_json_trouble(std::string_view bytes);

struct MemberLines {
  int line = 0;               ///< Of its key.
  std::vector<int> elements;  ///< Of an array: where each begins.
};
/// By key as it is written. `object` is JSON, and an object.
std::map<std::string, MemberLines, std::less<>> lines_of_members(std::string_view object);

}  // namespace artifacts

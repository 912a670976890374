#pragma once
// JSON as lines of text: where it is malformed, and the lines of its members, which parsed values do not have. Knows
// nothing of the artifact. Pure.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace artifacts {

/// The first line that is no JSON (RFC 8259); none if all of it is. Numbers beyond double are accepted.
std::optional<int> line_of_json_trouble(std::string_view bytes);

struct JsonSize {
  std::size_t values = 0;  ///< At least as many as there are, so that it bounds the memory that parsing takes.
  std::size_t keys = 0;    ///< Those that stand there, also where an object has one twice.
};
/// Takes any bytes. If they are no JSON, `keys` means nothing.
JsonSize size_of_json(std::string_view json);

struct MemberLines {
  int line = 0;               ///< Line of its key.
  std::vector<int> elements;  ///< For an array: the line of each element.
};
/// By key as written. Takes any bytes; unless they are a JSON object, the lines have no meaning.
std::map<std::string, MemberLines, std::less<>> lines_of_members(std::string_view object);

}  // namespace artifacts

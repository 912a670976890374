#pragma once
// Reads a YAML file that people write as a tree with positions, in which quoted and plain values differ. Refuses what
// is no regular file of at most 4 MB, repeated keys, aliases, tags and further documents; bounds depth and size before
// recursion. Knows no study.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace studyfile {

struct YamlPlace {
  int line = 0;    ///< 1-based.
  int column = 0;  ///< 1-based.
};

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, list, mapping };
  Kind kind = Kind::null;
  std::string text;     ///< A scalar as written.
  bool quoted = false;  ///< Whether the scalar is in quotes or a block, and so always a text.
  YamlPlace place;
  std::vector<YamlNode> items;     ///< Of a list.
  std::vector<YamlEntry> entries;  ///< Of a mapping, in file order, keys unique.
};

struct YamlEntry {
  std::string key;
  YamlPlace place;
  YamlNode value;
};

/// `the number 3`, `the text "abc"`, `a list`, `a mapping`, `nothing`, `true`.
std::string described(const YamlNode&);

/// `kind`: what the file should be, for problems: "study file". `usual`: the usual name of such a file in its folder.
kernel::Result<std::string> read_yaml_file(const std::string& path, const std::string& kind, const std::string& usual,
                                           const std::string& if_absent);

/// Checks that the bytes are text and parses the only document in them.
kernel::Result<YamlNode> read_yaml_text(const std::string& text, const std::string& file, const std::string& kind);

/// The 1-based line of the first byte that is not UTF-8, or is a control character other than tab and newline. Empty if
/// there is none.
std::optional<int> first_bad_line(std::string_view text);

}  // namespace studyfile

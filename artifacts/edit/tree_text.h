#pragma once
// An exploration tree as text and as values at once: where its nodes, keys and values stand, line by line. For the
// edits of this room, which change both and compare them. Throws Unchangeable.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/read/yaml_value.h"
#include "artifacts/text/source_text.h"
#include "base/result.h"

namespace artifacts {

/// Why a text cannot be changed; becomes a Problem.
struct Unchangeable {
  int line;
  std::string why;
};

[[noreturn]] void stop(int line, std::string why);

/// The blanks before the first character.
std::size_t indent_of(std::string_view line);

/// No index.
inline constexpr std::size_t no_key = std::string_view::npos;

/// A value in the document, by the indices that lead to it.
struct YamlPosition {
  std::vector<std::size_t> steps;
};

YamlValue& value_at(YamlValue& document, const YamlPosition& position);
std::size_t key_index(const YamlValue& map, std::string_view key);
/// Calls for each node, parents first.
void each_node(const YamlValue& document, const std::function<void(const YamlValue&, const YamlPosition&)>& call);
std::string node_id(const YamlValue& node);
/// Positions and quotes are no content.
void strip_positions(YamlValue& value);

class TreeText {
 public:
  explicit TreeText(std::string_view bytes);

  YamlValue& document() { return document_; }
  const SourceText& source() const { return source_; }

  YamlPosition find(const std::string& id);
  /// The mapping of the node with this id. Stops unless it is written in lines, with its keys where the reader says.
  YamlValue& node(const std::string& id);
  /// The last line with content of what begins on `line` and whose lines stand at `column` or deeper.
  int last_line(int line, std::size_t column) const;
  /// The last line of the value of the map's key.
  int last_line_of(const YamlValue& map, std::size_t key) const;
  /// Where the value of the key begins on the key's line: behind the colon and blanks.
  std::size_t value_column(const YamlValue::Key& key) const;
  /// How far lists stand behind the key that they belong to.
  std::size_t list_indent();
  /// The column of the dash before a list's item; npos if it stands on another line.
  std::size_t dash_of(const YamlValue& item) const;
  /// Applies the edits and reads the result again, which must say what `document()` says now.
  Edited changed(std::vector<TextEdit> edits, int line);

 private:
  SourceText source_;
  YamlValue document_;
};

/// Runs the change; what it throws becomes a Problem.
kernel::Result<Edited> guarded_tree(const std::string& file, const std::function<Edited()>& change);

}  // namespace artifacts

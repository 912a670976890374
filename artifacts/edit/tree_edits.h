#pragma once
// Changes one place of an exploration tree and no other byte: a new node, a field of a node, an entry of a list. The
// changed text is read again; if it says anything else than what was meant, nothing is changed and the reason is given.
// Works on nodes that are written in lines, not in braces. Pure.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "artifacts/read/yaml_value.h"
#include "artifacts/text/source_text.h"
#include "base/result.h"

namespace artifacts {

/// A text, or a list of texts.
using FieldValue = std::variant<std::string, std::vector<std::string>>;

struct NewNode {
  std::string parent;                                      ///< Empty: at the top.
  std::vector<std::pair<std::string, FieldValue>> fields;  ///< In this order; the first ones are `id` and `type`.
};

/// `file` is for the messages.
kernel::Result<Edited> with_node(std::string_view bytes, const std::string& file, const NewNode& node);
/// The lines of a node, without the last line end.
using NodeWriter = std::function<std::string(std::size_t dash, std::size_t gap)>;

/// As with_node, for a node with these values and lines.
kernel::Result<Edited> with_written_node(std::string_view bytes, const std::string& file, const std::string& parent,
                                         YamlValue map, const NodeWriter& lines);

/// Sets a field, also in an older spelling of its key. Keeps the style of the value, and a comment behind it.
kernel::Result<Edited> with_node_field(std::string_view bytes, const std::string& file, const std::string& id,
                                       const std::string& key, const FieldValue& value);
/// Adds an entry to a list; a single text becomes a list. Unchanged bytes if the entry is there.
kernel::Result<Edited> with_node_entry(std::string_view bytes, const std::string& file, const std::string& id,
                                       const std::string& key, const std::string& entry);

/// The next free id with the prefix and the width of those that are there: "N08".
std::string next_node_id(std::string_view bytes, std::string_view prefix);

}  // namespace artifacts

#pragma once
// Changes one place of an exploration tree and no other byte: a new node, a field of a node, an entry of a list. The
// changed text is read again; if it says anything else than what was meant, nothing is changed and the reason is given.
// Works on nodes that are written in lines, not in braces. Pure.

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace artifacts {

/// A text, or a list of texts.
using FieldValue = std::variant<std::string, std::vector<std::string>>;

struct NewNode {
  std::string parent;                                      ///< Empty: at the top.
  std::vector<std::pair<std::string, FieldValue>> fields;  ///< In this order; the first ones are `id` and `type`.
};

/// The changed text and the line of the change.
struct Edited {
  std::string bytes;
  int line = 0;
};

/// `file` is for the messages.
kernel::Result<Edited> with_node(std::string_view bytes, const std::string& file, const NewNode& node);
/// Sets a field, also in an older spelling of its key. Keeps the style of the value, and a comment behind it.
kernel::Result<Edited> with_node_field(std::string_view bytes, const std::string& file, const std::string& id,
                                       const std::string& key, const FieldValue& value);
/// Adds an entry to a list; a single text becomes a list. Unchanged bytes if the entry is there.
kernel::Result<Edited> with_node_entry(std::string_view bytes, const std::string& file, const std::string& id,
                                       const std::string& key, const std::string& entry);

/// The next free id with the prefix and the width of those that are there: "N08".
std::string next_node_id(std::string_view bytes, std::string_view prefix);

}  // namespace artifacts

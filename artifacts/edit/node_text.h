#pragma once
// Takes pieces of an exploration tree as they are written, and puts them into another one: a whole node without its
// children, or a key with its value, comments included. Only the indentation changes, and every other byte stays. As
// in tree_edits.h, a result that says anything else than what was meant is refused. Pure.

#include <string>
#include <string_view>

#include "artifacts/edit/tree_edits.h"
#include "base/result.h"

namespace artifacts {

/// "- id: N05" and the lines of its other keys, two blanks in.
kernel::Result<std::string> node_piece(std::string_view bytes, const std::string& file, const std::string& id);
/// "result: …" with its further lines.
kernel::Result<std::string> key_piece(std::string_view bytes, const std::string& file, const std::string& id,
                                      const std::string& key);

/// Behind the last child of the parent; at the top if that is empty.
kernel::Result<Edited> with_node_piece(std::string_view bytes, const std::string& file, const std::string& parent,
                                       const std::string& piece);
/// In place of the key, or behind the other ones.
kernel::Result<Edited> with_key_piece(std::string_view bytes, const std::string& file, const std::string& id,
                                      const std::string& key, const std::string& piece);
kernel::Result<Edited> without_key(std::string_view bytes, const std::string& file, const std::string& id,
                                   const std::string& key);
/// With everything below it.
kernel::Result<Edited> without_node(std::string_view bytes, const std::string& file, const std::string& id);

}  // namespace artifacts

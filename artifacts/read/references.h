#pragma once
// Finds references in the text of a field: ids (C01), paths, and words, also inside prose. Resolves paths lexically;
// whether a file exists is checked elsewhere, by SafeRoot.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/read/model.h"

namespace artifacts {

struct Reference {
  enum class Kind { id, path, word };
  Kind kind = Kind::word;
  std::string text;    ///< The id; the path without line numbers and anchors; the word.
  std::string target;  ///< The target of a Markdown link; else empty.
  int line = 0;
};

/// Every reference of a field, in order. Ids of any layer: letters and digits.
std::vector<Reference> references_in(std::string_view text, int line);
/// The ids with this prefix, in order.
std::vector<Reference> ids_in(std::string_view text, std::string_view prefix, int line);
/// Ids in free prose: at least two digits, so that "C4", the data set, is no claim.
std::vector<Reference> ids_in_prose(std::string_view text, std::string_view prefix, int line);

bool is_id(std::string_view text, std::string_view prefix);
bool is_url(std::string_view text);

/// `folder/path` without "." and ".."; none if it leaves the root. A leading '/' is the artifact's root.
std::optional<std::string> joined(std::string_view folder, std::string_view path);
std::string_view folder_of(std::string_view file);

}  // namespace artifacts

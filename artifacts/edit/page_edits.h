#pragma once
// Changes one place of a Markdown page and no other byte: a new entry, a field of an entry, an entry of a list in a
// field, a row of an index. The changed text is read again; if it says anything else than what was meant, nothing is
// changed and the reason is given. Pure.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "artifacts/edit/tree_edits.h"
#include "base/result.h"

namespace artifacts {

/// `## C05: title` with its fields.
struct NewEntry {
  std::string id;  ///< Empty for a page whose entries have none.
  std::string title;
  std::vector<std::pair<std::string, std::string>> fields;  ///< Names and Markdown, in this order.
};

/// Puts it behind the last entry with an id of this prefix ("C"), in the style of that one. `heading`: of the page, if
/// there is none yet.
kernel::Result<Edited> with_entry(std::string_view bytes, const std::string& file, std::string_view prefix,
                                  std::string_view heading, const NewEntry& entry);
/// Sets a field of the entry with this id or heading, or its title (`title`). Empty: of the page as a whole.
kernel::Result<Edited> with_field(std::string_view bytes, const std::string& file, const std::string& entry,
                                  const std::string& field, const std::string& value);
/// Adds a reference to the list in a field. Unchanged bytes if the field names it already.
kernel::Result<Edited> with_reference(std::string_view bytes, const std::string& file, const std::string& entry,
                                      const std::string& field, const std::string& reference);

/// A page of evidence in the index: its path below evidence/, and cells by the names of columns.
struct IndexEntry {
  std::string path;
  std::string source, claims, description;
};
/// Adds a row to the table for pages like it; makes the page or the table if there is none.
kernel::Result<Edited> with_index_row(std::string_view bytes, const std::string& file, const IndexEntry& row);

/// The prefixes of ids that entries of the page may have ("C" of logic/claims.md). Only these, so that a heading such
/// as "C4 data" elsewhere stays a heading.
std::vector<std::string_view> id_prefixes(std::string_view file);

/// "Falsification criteria" of "falsification_criteria": as the page writes it, else with a capital letter.
std::string field_name(std::string_view given);

}  // namespace artifacts

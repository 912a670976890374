#pragma once
// Finds references in the text of a field: ids (C01), paths, and words, also inside prose. Resolves paths lexically,
// and checks for every group of rules whether the id or the file exists.

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"

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
/// The length of a suffix "-MM" with which `text`, what follows the digits of an id, starts; 0 if it has none.
std::size_t id_suffix(std::string_view text);
bool is_url(std::string_view text);

/// `folder/path` without "." and ".."; none if it leaves the root. A leading '/' is the artifact's root.
std::optional<std::string> joined(std::string_view folder, std::string_view path);
std::string_view folder_of(std::string_view file);

/// The ids that a reference may name; for nodes, the index of the first one with that id.
struct KnownIds {
  explicit KnownIds(const Artifact& artifact);
  std::unordered_set<std::string> claims, experiments, observations;
  std::unordered_map<std::string, int> nodes;
};

/// Checks the references of one artifact; borrows it, its root and its findings.
class ReferenceCheck {
 public:
  ReferenceCheck(const Artifact& artifact, const KnownIds& known, Findings& findings)
      : artifact_(artifact), known_(known), findings_(findings) {}

  /// `by`: what contains the reference, for the message. Without claims.md an unknown claim is only a warning.
  void claim(const std::string& id, std::string_view file, int line, std::string_view by,
             Severity severity = Severity::error) const;
  /// Does nothing without experiments.md: the missing file is the error.
  void experiment(const std::string& id, std::string_view file, int line, std::string_view by) const;

 private:
  const Artifact& artifact_;
  const KnownIds& known_;
  Findings& findings_;
};

/// Where a path may start.
struct PathFrom {
  std::string_view folder;
  std::string_view path;
};

struct FoundPath {
  std::string path;      ///< Below the root; empty if nothing was found.
  bool outside = false;  ///< Nothing was found, and every reading of the path leaves the root.
  bool directory = false;
  bool elsewhere = false;      ///< It was found in the surrounding repository.
  bool looked_around = false;  ///< Nothing was found, in the surrounding repository neither.
};

/// The first reading of the path that is a file or folder of the artifact, or else of the surrounding repository if the
/// root knows it: below the repository's root, or from the artifact's place in it.
FoundPath find_path(const SafeRoot& root, const std::vector<PathFrom>& readings);

/// Adds `missing-file` or `outside-root` if nothing was found; returns whether something was.
bool require_path(const FoundPath& found, std::string_view shown, std::string_view file, int line, std::string_view by,
                  Severity severity, Findings& findings);

/// Alternative names of one field.
using FieldNames = std::initializer_list<std::string_view>;

/// "**Status**, **Proof**": the wanted fields that no block has, by their first names; empty if none is missing.
std::string missing_fields(std::span<const Block> blocks, std::initializer_list<FieldNames> wanted);

}  // namespace artifacts

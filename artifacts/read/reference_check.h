#pragma once
// Checks references for every group of rules: whether the id exists, and whether the file exists.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "artifacts/read/findings.h"
#include "artifacts/read/model.h"
#include "artifacts/read/references.h"
#include "artifacts/read/safe_root.h"

namespace artifacts {

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
};

/// The first reading of the path that is a file or folder of the artifact.
FoundPath find_path(const SafeRoot& root, const std::vector<PathFrom>& readings);

/// Adds `missing-file` or `outside-root` if nothing was found; returns whether something was.
bool require_path(const FoundPath& found, std::string_view shown, std::string_view file, int line, std::string_view by,
                  Severity severity, Findings& findings);

/// Alternative names of one field.
using FieldNames = std::initializer_list<std::string_view>;

/// "**Status**, **Proof**": the wanted fields that no block has, by their first names; empty if none is missing.
std::string missing_fields(std::span<const Block> blocks, std::initializer_list<FieldNames> wanted);

}  // namespace artifacts

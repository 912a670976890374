#pragma once
// The two questions that every group of rules asks of a reference: is there such an id, is there such a file.

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

/// The ids that a reference may name. Of nodes: the index of the first one of that id.
struct KnownIds {
  explicit KnownIds(const Artifact& artifact);
  std::unordered_set<std::string> claims, experiments, observations;
  std::unordered_map<std::string, int> nodes;
};

/// Asks for one artifact; borrows it, its root and its findings.
class ReferenceCheck {
 public:
  ReferenceCheck(const Artifact& artifact, const KnownIds& known, Findings& findings)
      : artifact_(artifact), known_(known), findings_(findings) {}

  /// `by`: what refers to it, for the message. Without claims.md an unknown claim is a warning.
  void claim(const std::string& id, std::string_view file, int line, std::string_view by,
             Severity severity = Severity::error) const;
  /// Not asked where experiments.md is missing: that it is missing is the error.
  void experiment(const std::string& id, std::string_view file, int line, std::string_view by) const;

 private:
  const Artifact& artifact_;
  const KnownIds& known_;
  Findings& findings_;
};

/// Where a path may start from.
struct PathFrom {
  std::string_view folder;
  std::string_view path;
};

struct FoundPath {
  std::string path;      ///< Below the root; empty when nothing is there.
  bool outside = false;  ///< Nothing is there, and every reading of the path leaves the root.
  bool directory = false;
};

/// The first reading of the path that leads to a file or folder of the artifact.
FoundPath find_path(const SafeRoot& root, const std::vector<PathFrom>& readings);

/// Adds `missing-file` or `outside-root` when nothing was found; true when something was.
bool require_path(const FoundPath& found, std::string_view shown, std::string_view file, int line, std::string_view by,
                  Severity severity, Findings& findings);

/// Any of these names will do.
using FieldNames = std::initializer_list<std::string_view>;

/// "**Status**, **Proof**": the first names of those that none of the blocks has; empty where nothing is missing.
std::string missing_fields(std::span<const Block> blocks, std::initializer_list<FieldNames> wanted);

}  // namespace artifacts

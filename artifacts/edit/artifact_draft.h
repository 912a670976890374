#pragma once
// An artifact with changes that are not written yet: what the published rules say of it then and not now, and how it is
// written, each file atomically and all or none. Refuses an artifact that etude.json seals. Owns its root.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/published/configuration.h"
#include "artifacts/published/pages.h"
#include "artifacts/read/model.h"
#include "artifacts/read/safe_root.h"
#include "base/result.h"

namespace artifacts {

struct FileChange {
  std::string file;
  bool created = false;
  std::string before, after;
  int line = 0;  ///< Of the change, in the new text.
};

class ArtifactDraft {
 public:
  /// A problem if the path is no folder, if the artifact is sealed, or if its `.ara-check.toml` cannot be read.
  static kernel::Result<ArtifactDraft> open(const std::string& path, const published::ConfigurationChoice& = {});

  /// As it is on disk.
  const Artifact& artifact() const { return artifact_; }
  bool has(const std::string& file) const;
  /// The bytes as changed so far; none if there is no such file. A problem if it is no regular file of the artifact.
  kernel::Result<std::optional<std::string>> text(const std::string& file) const;
  void change(const std::string& file, std::string bytes, int line);

  /// In the order in which they were made, and are written.
  std::vector<FileChange> changes() const;
  /// Findings of the published rules that the changes bring, by severity; nothing for a draft without changes.
  std::vector<Finding> introduced() const;
  /// Writes the changes. If one fails, or a file has changed meanwhile, nothing stays changed.
  std::optional<kernel::Problem> write() const;

 private:
  ArtifactDraft(SafeRoot root, published::Configuration configuration, Artifact artifact)
      : root_(std::move(root)), configuration_(std::move(configuration)), artifact_(std::move(artifact)) {}

  SafeRoot root_;
  published::Configuration configuration_;
  Artifact artifact_;
  std::vector<FileChange> changes_;
};

}  // namespace artifacts

#pragma once
// The files of an evaluator: data that it reads and that no job may see, and files of the workspace that no job may
// change. Data are identified before the study opens, left out of the workspace's snapshot, copied if small, and
// checked around every evaluation. Any thread; writes only blobs.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/manifest.h"
#include "base/result.h"
#include "kernel/domain/records.h"
#include "memory/files/blobs.h"

namespace memory {

struct EvaluatorData {
  std::vector<kernel::SealedData> data;
  std::string manifest;  ///< kernel::StudyOpened::sealed_manifest
  /// SHA-256 of every file that is not empty → its path in the manifest.
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> sources;  ///< SHA-256 → its path on disk.
};

/// A problem: something is missing, unreadable, or differs from SealedPath::identity.
kernel::Result<EvaluatorData> seal(const kernel::StudySpec&, Blobs&);

/// Ignore patterns, seen from the workspace, that leave all evaluator data and links to them out of a snapshot.
std::vector<std::string> sealed_patterns(const kernel::StudySpec&);

/// A problem if jobs could still see evaluator data: below one of these folders, as a copy in the workspace, or almost
/// all of it inside a workspace file. Also if the workspace has other content at its path. `blobs` are those of the
/// workspace.
std::optional<kernel::Problem> unsealed(const kernel::StudySpec&, const EvaluatorData&,
                                        const std::vector<std::string>& shown_folders,
                                        const std::vector<kernel::ManifestEntry>& workspace, Blobs& blobs);

/// Checks that evaluations read the sealed data. It reads a file again only if its metadata changed, including the
/// change time (ctime), which programs cannot set. One thread.
class EvaluatorDataWatch {
 public:
  /// `started_ms`: when the reading began (wall clock). Also false if a file was only touched since.
  bool unchanged(const kernel::SealedData&, std::int64_t started_ms);

 private:
  std::map<std::string, std::string> known_;  ///< Path and identity → the file's state when its bytes were right.
};

/// The files of a workspace that `evaluator.protect` names, by patterns as in a .gitignore, each of which must match a
/// file; sorted by path. A problem, with the pattern's line, if it matches no file, or a link, whose target could
/// change.
kernel::Result<std::vector<kernel::ProtectedFile>> protected_files(const kernel::StudySpec&,
                                                                   const std::vector<kernel::ManifestEntry>&);

/// Checks `evaluator.protect` for the folder in its present state. Reads only names. `home`: the store's folder.
std::optional<kernel::Problem> check_protection(const kernel::StudySpec&, const std::string& home);

}  // namespace memory

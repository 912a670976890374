#pragma once
// What an evaluator reads and no job may see: identified before the study opens, left out of the workspace's snapshot,
// copied where it is small, and looked at again around every evaluation. Any thread; changes nothing but the blobs.

#include <cstdint>
#include <map>
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
  /// SHA-256 of every file that holds something → its path.
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> sources;  ///< The same → where it lies.
};

/// A problem: something is not there, unreadable, or is not what SealedPath::identity says it must be.
kernel::Result<EvaluatorData> seal(const kernel::StudySpec&, Blobs&);

/// Patterns seen from the workspace that leave all of it out of a snapshot, links to it included.
std::vector<std::string> sealed_patterns(const kernel::StudySpec&);

/// A problem where jobs would see some of it all the same: below one of these folders, or as a copy in the workspace,
/// or nearly all of it in one of its files; or where the workspace has something else in its place. `blobs`: of the
/// workspace.
std::optional<kernel::Problem> unsealed(const kernel::StudySpec&, const EvaluatorData&,
                                        const std::vector<std::string>& shown_folders,
                                        const std::vector<kernel::ManifestEntry>& workspace, Blobs& blobs);

/// Whether evaluations read what was sealed. Reads a file again only when something about it has changed: what nobody
/// can set, the time of its last change, is compared. One thread.
class EvaluatorDataWatch {
 public:
  /// `started_ms`: since when it was read (wall clock). False also when it was only touched since.
  bool unchanged(const kernel::SealedData&, std::int64_t started_ms);

 private:
  std::map<std::string, std::string> known_;  ///< Path and identity → how it stood when its bytes were those.
};

}  // namespace memory

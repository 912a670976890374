#pragma once
// The files outside the store that the events of a home still need; none of them may be deleted. Only reads.

#include <set>
#include <string>

namespace memory {

struct Retention {
  std::set<std::string> blobs;  ///< Every hash that an event or the manifest of a workspace mentions.
  std::set<std::string> kept;   ///< Hashes of kept outputs: those that are retained, and all of unfinished studies.
  std::set<std::string> workspaces;  ///< Workspaces of the studies that have not ended.
  std::set<std::string> outputs;     ///< Output paths of the artifacts of those studies.
};

/// Throws StoreFault if this cannot be known: a broken chain, missing events, an unreadable manifest. Precondition: the
/// home has a store.
Retention retention_of(const std::string& home);

}  // namespace memory

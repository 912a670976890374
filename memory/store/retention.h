#pragma once
// Which files beside the store the events of a home still need. None of them may be deleted. Only reads.

#include <set>
#include <string>

namespace memory {

struct Retention {
  std::set<std::string> blobs;       ///< Every hash that an event or the manifest of a workspace mentions.
  std::set<std::string> kept;        ///< Hashes of kept outputs: what is retained, and all of unfinished studies.
  std::set<std::string> workspaces;  ///< Of the studies that have not ended.
  std::set<std::string> outputs;     ///< Where those studies' artifacts will go.
};

/// Throws StoreFault where that cannot be known: a broken chain, events that are gone, a manifest that cannot be read.
/// Precondition: the home has a store.
Retention retention_of(const std::string& home);

}  // namespace memory

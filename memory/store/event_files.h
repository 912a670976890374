#pragma once
// The files outside the store that its events name: `verify` checks them, a backup copies them and gc keeps them. Only
// reads. One thread at a time.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kernel/codec/codec.h"
#include "kernel/domain/event_references.h"
#include "memory/files/blobs.h"

namespace memory {

/// Collects the blobs and frozen folders that events name. Borrows the blobs.
class EventBlobs {
 public:
  struct Named {
    std::string by;           ///< The first event that names it, in words.
    std::int64_t bytes = -1;  ///< The size that the event states; -1 if it states none.
  };

  explicit EventBlobs(const Blobs& blobs) : blobs_(blobs) {}

  /// Adds the content of the folder with that manifest. Returns the end of a sentence if the manifest is malformed.
  std::optional<std::string> add_folder(const std::string& manifest, const std::string& by);
  /// Adds what the event names and what the manifest of its workspace lists. Returns the end of a sentence if the
  /// manifest is malformed; a missing or damaged one is found where blobs are read.
  std::optional<std::string> add(const kernel::Event&, const std::string& by);

  const std::map<std::string, Named>& all() const { return named_; }
  /// Workspaces with well-formed manifests.
  const std::set<std::string>& frozen() const { return frozen_; }

 private:
  void name(const std::string& sha256, std::int64_t bytes, const std::string& by);
  std::optional<std::string> add_listed(const std::string& manifest, const std::string& by, bool is_workspace);

  const Blobs& blobs_;
  std::map<std::string, Named> named_;
  std::set<std::string> frozen_;
};

/// Calls the function for every word of 64 hex digits, so that no blob named by an event of unknown kind is missed.
void each_mentioned(std::string_view text, const std::function<void(std::string_view sha256)>&);

/// What the events of a home still need; none of it may be deleted.
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

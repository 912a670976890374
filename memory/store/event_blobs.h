#pragma once
// Which blobs and frozen folders the events of a store name: `verify` checks them, a backup copies them and gc keeps
// them. One thread at a time; borrows the blobs.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/codec/stored_event.h"
#include "kernel/domain/event_references.h"
#include "memory/files/blobs.h"

namespace memory {

class EventBlobs {
 public:
  struct Named {
    std::string by;           ///< The first event that names it, in words.
    std::int64_t bytes = -1;  ///< As that event says; -1: it does not.
  };

  explicit EventBlobs(const Blobs& blobs) : blobs_(blobs) {}

  /// What the folder with that manifest consists of; the end of a sentence when the manifest is none.
  std::optional<std::string> add_folder(const std::string& manifest, const std::string& by);
  /// What the event names, and what the manifest of its workspace lists. The end of a sentence when the manifest is
  /// none; a missing or damaged one is found where the blobs themselves are read.
  std::optional<std::string> add(const kernel::Event&, const std::string& by);

  const std::map<std::string, Named>& all() const { return named_; }
  /// Workspaces whose manifests are sound.
  const std::set<std::string>& frozen() const { return frozen_; }

 private:
  void name(const std::string& sha256, std::int64_t bytes, const std::string& by);
  std::optional<std::string> add_listed(const std::string& manifest, const std::string& by, bool is_workspace);

  const Blobs& blobs_;
  std::map<std::string, Named> named_;
  std::set<std::string> frozen_;
};

/// Every word of 64 hex digits: whatever kind of event the text is from, a blob that it names is among them.
void each_mentioned(std::string_view text, const std::function<void(std::string_view sha256)>&);

}  // namespace memory

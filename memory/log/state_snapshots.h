#pragma once
// Snapshots of the states of active studies, stored with the events, so that a start folds only the newer events.
// Written every so many events in the appending transaction, only the parts that changed. Kernel thread only; the
// caller holds the transaction.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel/study/state.h"
#include "memory/log/database.h"

namespace memory {

class StateSnapshots {
 public:
  explicit StateSnapshots(std::int64_t every) : every_(every) {}

  /// Loads the study from its snapshot and the newer events, or from all events if no snapshot is usable. Throws
  /// StoreFault if an event that it reads breaks the chain; `verify` checks the others.
  void load(Database&, const std::string& study, kernel::State&);
  /// Precondition: the events, all of this study, have just been appended, and `head` is the chain's head.
  void follow(Database&, const std::vector<const kernel::Event*>&, const kernel::Study& after, const std::string& head);
  /// To be called after a failed transaction: what is stored is then unknown.
  void forget() { known_.clear(); }

 private:
  struct Known {
    bool stored = false;     ///< Stored by this object, or found complete.
    std::int64_t since = 0;  ///< Number of events after the snapshot.
    std::set<int> stale;     ///< Parts that have changed since the snapshot.
  };
  void write(Database&, const kernel::Study&, const std::string& head, Known&);

  const std::int64_t every_;
  std::map<std::string, Known> known_;
};

/// A hash of the shape of all values in a study and of the fold's version. Snapshots with another layout are not read.
const std::string& state_snapshot_layout();
/// The last event of the study's snapshot; 0 if it has none of this layout.
std::int64_t state_snapshot_seq(Database&, const std::string& study);
/// Whether the snapshot equals this state. Precondition: `state_snapshot_seq` is its last event.
bool matches_state_snapshot(Database&, const kernel::Study&);

}  // namespace memory

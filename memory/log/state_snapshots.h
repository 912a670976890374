#pragma once
// States of studies that go on, folded up to an event and stored beside the events, so that starting costs what
// happened since and not the whole history. Written in the transaction that appends, every so many events, only what
// changed. Kernel thread only; the caller holds the transaction.

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

  /// The study, from what is stored and the events since, or from all its events where nothing usable is. Throws
  /// StoreFault where one of the events that it reads breaks the chain; the others are verify's business.
  void load(Database&, const std::string& study, kernel::State&);
  /// Precondition: the events, all of this study, have just been appended; `head` is their chain's.
  void follow(Database&, const std::vector<const kernel::Event*>&, const kernel::Study& after, const std::string& head);
  /// The transaction failed: nothing is known of what is stored.
  void forget() { known_.clear(); }

 private:
  struct Known {
    bool stored = false;     ///< By us, or found whole.
    std::int64_t since = 0;  ///< Events that the stored state does not have.
    std::set<int> stale;     ///< Parts that have changed since.
  };
  void write(Database&, const kernel::Study&, const std::string& head, Known&);

  const std::int64_t every_;
  std::map<std::string, Known> known_;
};

/// Stands for the shape of all values in a study, and for how events fold into them: stored states of others are not
/// read.
const std::string& state_snapshot_layout();
/// Up to which event a study's state is stored; 0: it is not, or by a program of another layout.
std::int64_t state_snapshot_seq(Database&, const std::string& study);
/// Whether what is stored is this state. Precondition: `state_snapshot_seq` is its last event.
bool matches_state_snapshot(Database&, const kernel::Study&);

}  // namespace memory

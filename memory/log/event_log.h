#pragma once
// The append-only table of events and the hash chain of each study. Knows nothing of what events mean; its caller holds
// the transaction.

#include <functional>
#include <string>
#include <vector>

#include "kernel/codec/stored_event.h"
#include "kernel/study/state.h"
#include "memory/log/database.h"

namespace memory {

/// What the chain's head is for a study without events: nothing.
std::string head_of(Database&, const std::string& study);

/// Stores the event after the head of its study. Returns the new head.
std::string append_event(Database&, const kernel::Event&, const std::string& head);

/// The study's events with `seq` beyond `after`, in order.
void each_event(Database&, const std::string& study, std::int64_t after,
                const std::function<void(const kernel::StoredEvent&)>&);

/// At most `most` events with `seq` beyond `after`, of one study or, where `study` is empty, of all.
std::vector<kernel::StoredEvent> events_after(Database&, std::int64_t after, std::size_t most,
                                              const std::string& study);

/// At most `most` of the study's moments with `seq` beyond `after`: what its own index holds (migration 9). `type`:
/// only these; empty: all.
std::vector<kernel::StoredEvent> moments(Database&, const std::string& study, std::int64_t after, std::size_t most,
                                         const std::string& type);

/// Every study that has events, in the order in which they were opened.
std::vector<std::string> studies_by_age(Database&);

/// "event 7 (RunEnded of study s1)"
std::string named(const kernel::StoredEvent&);
/// Throws StoreFault naming the event when it does not continue the chain.
void refuse_broken(kernel::Chain&, const kernel::StoredEvent&);

/// Folds all of the study's events into the state. Throws StoreFault where the chain is broken.
void fold_study(Database&, const std::string& study, kernel::State&);

}  // namespace memory

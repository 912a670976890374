#pragma once
// The append-only table of events with the hash chain of each study. Does not interpret events; the caller holds the
// transaction.

#include <functional>
#include <string>
#include <vector>

#include "kernel/codec/codec.h"
#include "kernel/study/state.h"
#include "memory/log/database.h"

namespace memory {

/// The chain's head; empty for a study without events.
std::string head_of(Database&, const std::string& study);

/// Appends the event to its study's chain. Returns the new head.
std::string append_event(Database&, const kernel::Event&, const std::string& head);

/// The study's events with `seq` beyond `after`, in order.
void each_event(Database&, const std::string& study, std::int64_t after,
                const std::function<void(const kernel::StoredEvent&)>&);

/// At most `most` events with `seq` beyond `after`, of one study; of all studies if `study` is empty.
std::vector<kernel::StoredEvent> events_after(Database&, std::int64_t after, std::size_t most,
                                              const std::string& study);

/// At most `most` of the study's moments with `seq` beyond `after`, by an index of their own (migration 9). Only those
/// of `type`, unless it is empty.
std::vector<kernel::StoredEvent> moments(Database&, const std::string& study, std::int64_t after, std::size_t most,
                                         const std::string& type);

/// How many moments the study has.
int moment_count(Database&, const std::string& study);

/// All studies that have events, oldest first.
std::vector<std::string> studies_by_age(Database&);

/// Such as "event 7 (RunEnded of study s1)".
std::string event_label(const kernel::StoredEvent&);
/// Throws StoreFault naming the event if it does not continue the chain.
void refuse_broken(kernel::Chain&, const kernel::StoredEvent&);

/// Folds all events of the study into the state. Throws StoreFault if the chain is broken.
void fold_study(Database&, const std::string& study, kernel::State&);

}  // namespace memory

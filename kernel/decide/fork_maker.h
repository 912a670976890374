#pragma once
// Makes the command that forks a study from the stored events of that study. Pure; reads nothing itself.

#include <cstdint>
#include <set>
#include <string>

#include "kernel/codec/codec.h"
#include "kernel/domain/commands.h"

namespace kernel {

/// The hypotheses whose registration used slots of the family, for studies that share a past.
class SlotsUsed {
 public:
  /// `later`: the event is not part of the shared past.
  void read(const Event&, bool later);
  /// Slots that were used after the shared past only.
  int later() const;

 private:
  std::set<HypothesisId> exploratory_, before_, after_;
};

/// Takes the events of a study, oldest first.
class ForkMaker {
 public:
  /// The fork `id` shares the events up to the one numbered `at`, and the rest of that event's decision.
  ForkMaker(std::string study, std::int64_t at, std::string id);
  void read(const StoredEvent&);

  std::int64_t last() const { return last_; }  ///< The number of the last event read; 0 if there is none.
  bool empty() const { return fork_.events.empty(); }
  bool concluded() const { return concluded_; }  ///< The shared events include the study's conclusion.
  bool cancelled() const {
    return cancelled_;
  }  ///< They include its cancellation, of which a fork would only conclude.
  /// The command, with the events' names of gates, runs and outputs made the fork's own. `output`: the artifact's
  /// destination; empty for the study's with the id appended. Without `predecessors`, and with the slots that the study
  /// itself used later. Precondition: not empty.
  ForkStudy made(const std::string& output = "") &&;

 private:
  const std::int64_t at_;
  const std::string id_;
  ForkStudy fork_;
  std::int64_t last_ = 0;
  bool concluded_ = false, cancelled_ = false, over_ = false;
  std::int64_t time_ = 0, boot_ = 0;  ///< Of the last shared event.
  SlotsUsed used_;
};

}  // namespace kernel

#pragma once
// What the kernel needs of its memory: durable, ordered events. Called from the kernel thread only.

#include <functional>
#include <string>
#include <vector>

#include "kernel/domain/event.h"
#include "kernel/study/state.h"

namespace kernel {

/// Nothing is done or left because of it: that a run has begun is seen, and whoever looks again sees it again, in its
/// run folder. Such an event may be lost with the machine's memory.
inline bool only_reports(const Event& event) {
  return std::holds_alternative<RunStarted>(event.body);
}

class EventStore {
 public:
  virtual ~EventStore() = default;
  /// Appends all of them, and brings the read models to `after`, in one transaction, durable unless all of them only
  /// report; faults throw.
  virtual void append(const std::vector<Event>& events, const State& after) = 0;
  /// The study's events in order.
  virtual void replay(const std::string& study, const std::function<void(const Event&)>&) = 0;
};

}  // namespace kernel

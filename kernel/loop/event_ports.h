#pragma once
// Where the loop's events go: to the store, which makes them durable, then to the observers. Called from the kernel
// thread only.

#include <functional>
#include <string>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/domain/event.h"
#include "kernel/study/state.h"

namespace kernel {

/// True for events that nothing depends on: a run folder shows again that its run has begun. Such an event may be lost
/// with the machine's memory.
inline bool only_reports(const Event& event) {
  return std::holds_alternative<RunStarted>(event.body);
}

class EventStore {
 public:
  virtual ~EventStore() = default;
  /// Appends all events and brings the read models to `after`, in one transaction. It is durable unless all events only
  /// report. Errors throw.
  virtual void append(const std::vector<Event>& events, const State& after) = 0;
  /// Calls the function with the study's events in order.
  virtual void replay(const std::string& study, const std::function<void(const Event&)>&) = 0;
};

struct MemoryShortage;

/// Called for every event after it is durable; must not block.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void committed(const Event&, const State&) = 0;
  /// A command was not followed; `reason` is for people.
  virtual void refused(const Command&, const std::string& reason) = 0;
  /// JobListener::waits. Any thread.
  virtual void executor_waits(const std::string& /*why*/) {}
  /// A run waits because it is expected to take more memory than there is; once for each run.
  virtual void memory_is_short(const MemoryShortage&) {}
};

}  // namespace kernel

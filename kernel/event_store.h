#pragma once
// What the kernel needs of its memory: durable, ordered events. Called from the kernel thread only.

#include <functional>
#include <string>
#include <vector>

#include "kernel/event.h"
#include "kernel/state.h"

namespace kernel {

class EventStore {
 public:
  virtual ~EventStore() = default;
  /// Appends all of them, and brings the read models to `after`, in one durable transaction; faults throw.
  virtual void append(const std::vector<Event>& events, const State& after) = 0;
  /// The study's events in order.
  virtual void replay(const std::string& study, const std::function<void(const Event&)>&) = 0;
};

}  // namespace kernel

#pragma once
// Observers are called on the kernel thread for every event after it is durable; they must not block it.

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace kernel {

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void committed(const Event&, const State&) = 0;
  /// A command was not followed; `reason` is for people.
  virtual void refused(const Command&, const std::string& reason) = 0;
};

}  // namespace kernel

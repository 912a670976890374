#pragma once
// Runs jobs on this machine, each under a supervisor of its own that outlives us. Knows nothing of studies, agents or
// the database. One thread of its own launches, adopts, waits and calls the listener; every member function may be
// called from any thread and returns at once.

#include <memory>
#include <string>

#include "executors/local/held_devices.h"
#include "kernel/loop/executor.h"

namespace executors {

class LocalExecutor : public kernel::Executor {
 public:
  /// `supervisor`: the path of etude-supervisor; empty: beside the running program.
  explicit LocalExecutor(kernel::JobListener listener, std::string supervisor = "");
  /// Stops listening; jobs go on.
  ~LocalExecutor() override;

  void start(const kernel::JobSpec&) override;
  void adopt(const kernel::JobSpec&) override;
  void cancel(const std::string& run) override;
  /// Devices that an earlier kernel waited for: `freed` is called once they are free.
  void await(const HeldDevices&);

 private:
  class Waiter;
  std::unique_ptr<Waiter> waiter_;
};

}  // namespace executors

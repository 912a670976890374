#pragma once
// Runs jobs on this machine, each under its own supervisor, which outlives this process. Independent of studies, agents
// and the database. One internal thread launches, adopts, waits and calls the listener; every member function may be
// called from any thread and returns at once.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/loop/executor.h"

namespace executors {

class LocalExecutor : public kernel::Executor {
 public:
  /// `supervisor`: path of etude-supervisor; empty: in the folder of the running program.
  explicit LocalExecutor(kernel::JobListener listener, std::string supervisor = "");
  /// Stops listening; jobs continue.
  ~LocalExecutor() override;

  void start(const kernel::JobSpec&) override;
  void start_in_turn(const kernel::JobSpec&, int below) override;
  void withdraw(const std::string& study_folder) override;
  void adopt(const kernel::JobSpec&) override;
  void cancel(const std::string& run) override;
  std::map<std::string, std::vector<std::string>> held_devices(const std::string& runs) override;

 private:
  class Waiter;
  std::unique_ptr<Waiter> waiter_;
};

}  // namespace executors

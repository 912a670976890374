#pragma once
// Runs jobs on a Slurm cluster, each under etude's supervisor in a job of its own or as a task of an array. One thread
// follows all launches by their run folders and by one listing of all jobs; a second one asks Slurm, which may block.
// Independent of studies and agents. Every member function may be called from any thread and returns at once.

#include <functional>
#include <memory>
#include <string>

#include "executors/slurm/slurm_client.h"
#include "kernel/loop/executor.h"

namespace executors {

class SlurmTracker;

class SlurmExecutor : public kernel::Executor {
 public:
  SlurmExecutor(kernel::JobListener, std::shared_ptr<SlurmClient>, SlurmPlace, SlurmPace = {});
  /// Stops listening; jobs continue. A question that Slurm has not answered yet is left to itself.
  ~SlurmExecutor() override;

  void start(const kernel::JobSpec&) override;
  void adopt(const kernel::JobSpec&) override;
  void cancel(const std::string& run) override;

 private:
  std::unique_ptr<SlurmTracker> tracker_;
};

}  // namespace executors

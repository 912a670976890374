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

/// Times in milliseconds.
struct SlurmPace {
  std::int64_t listing = 5000;         ///< Between two listings at least.
  std::int64_t longest = 60'000;       ///< Between two listings if nothing changes, or Slurm does not answer.
  std::int64_t look = 250;             ///< Between two looks at run folders.
  std::int64_t gather = 50;            ///< How long a job waits for others of its shape.
  std::int64_t settle = 2000;          ///< How long a job's end is known before an outcome counts as missing.
  std::int64_t unreachable = 120'000;  ///< How long a lock of an ended job is respected.
  std::int64_t recorded = 60'000;      ///< How long accounting may take to hear how a job ended that no listing has.
  std::int64_t accounts = 3'600'000;   ///< How long accounting that does not answer is waited for.
};

/// What the executor needs beyond the client.
struct SlurmPlace {
  std::string shared;             ///< The shared folder.
  std::size_t array = 1000;       ///< Most jobs of one array.
  std::int64_t minutes = 0;       ///< Slurm's limit for every job; 0: from the job's time-out.
  std::int64_t memory_bytes = 0;  ///< Asked for jobs without a limit of their own.
};

class SlurmExecutor : public kernel::Executor {
 public:
  SlurmExecutor(kernel::JobListener, std::shared_ptr<SlurmClient>, SlurmPlace, SlurmPace = {});
  /// Stops listening; jobs continue. A question that Slurm has not answered yet is left to itself.
  ~SlurmExecutor() override;

  void start(const kernel::JobSpec&) override;
  void adopt(const kernel::JobSpec&) override;
  void cancel(const std::string& run) override;

 private:
  class Tracker;
  std::unique_ptr<Tracker> tracker_;
};

}  // namespace executors

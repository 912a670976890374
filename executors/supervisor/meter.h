#pragma once
// Watches what a job's tree holds — memory, disk, processes — against its limits, at a pace that follows growth and
// keeps its own cost below two per cent. Kills nobody: it only says what is exceeded.

#include <cstdint>
#include <string>
#include <vector>

#include "executors/run_protocol/outcome.h"
#include "executors/run_protocol/process_tree.h"
#include "executors/supervisor/launch.h"

namespace supervisor {

class Meter {
 public:
  /// `folder`: the run's.
  Meter(int folder, const Job&, const Launched&);

  /// Looks where it is time to. `end` is memory, disk or processes when a limit is exceeded, else `exited`.
  struct Finding {
    End end = End::exited;
    std::string reason;
  };
  Finding look();
  /// A last look at the disk, after the job's end.
  Finding look_at_disk();

  /// When to look next, in boot_ms.
  std::int64_t due() const;
  std::int64_t memory_peak() const { return peak_; }

 private:
  Finding look_at_memory();
  Finding look_at_processes();
  Finding too_many_processes() const;
  std::vector<Process> tree();
  void count();
  std::int64_t shared_files(const std::vector<Process>&) const;

  int folder_;
  const Job& job_;
  Isolation isolation_;
  int child_;
  int own_depth_;
  std::int64_t memory_period_ = 20, disk_period_ = 50;
  std::int64_t memory_due_, disk_due_, processes_due_;
  std::int64_t processes_ = 0;  ///< Of the job, with their threads, when it was last looked.
  std::uint16_t on_machine_;    ///< Threads of the whole machine at that time.
  std::int64_t last_resident_ = 0, last_disk_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t exact_cost_us_ = 0, exact_at_ = 0;  ///< Processor time: a busy machine makes nothing dearer.
};

}  // namespace supervisor

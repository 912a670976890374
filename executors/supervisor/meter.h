#pragma once
// Compares memory, disk and processes of a job's tree with its limits, and notes its usage over time. The pace follows
// their growth and keeps the cost below two per cent. Kills nothing; it only reports what is exceeded.

#include <cstdint>
#include <string>
#include <vector>

#include "executors/run_protocol/outcome.h"
#include "executors/run_protocol/process_tree.h"
#include "executors/run_protocol/usage_series.h"
#include "executors/supervisor/launch.h"

namespace supervisor {

class Meter {
 public:
  /// `folder`: the run's. `reaped`: what processes used that this one has reaped; it is read at each measurement.
  Meter(int folder, const Job&, const Launched&, const ReapedUse& reaped);

  /// Measures what is due. `end` is memory, disk or processes if a limit is exceeded, else `exited`.
  struct Finding {
    JobEnd end = JobEnd::exited;
    Reason reason;
  };
  Finding look();
  /// A final measurement of the disk, after the job's end.
  Finding look_at_disk();

  /// Time of the next measurement, in boot_ms.
  std::int64_t due() const;
  std::int64_t memory_peak() const { return peak_; }
  /// As `UsageSeries::text`.
  std::string usage_over_time() const;

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
  OwnProcesses own_;
  const ReapedUse& reaped_;
  std::int64_t begin_;
  UsageSeries series_;
  std::int64_t memory_period_ = 20, disk_period_ = 50;
  std::int64_t memory_due_, disk_due_, processes_due_;
  std::int64_t processes_ = 0;  ///< Processes and threads of the job at the last count.
  std::uint16_t on_machine_;    ///< Threads of the whole machine at that time.
  std::int64_t last_resident_ = 0, last_disk_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t exact_cost_us_ = 0, exact_at_ = 0;  ///< In processor time, which does not depend on the machine's load.
};

}  // namespace supervisor

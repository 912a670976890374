#pragma once
// How a job ended, and the file for it, which is written once and as a whole.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executors/run_protocol/machine_counters.h"
#include "kernel/domain/job_spec.h"

namespace supervisor {

using kernel::JobEnd;
using kernel::Reason;
using kernel::ReasonCode;

struct Outcome {
  std::string token;
  JobEnd end = JobEnd::exited;  ///< Never `voided`.
  int exit = 0, signal = 0;
  Reason reason;                              ///< Without reals, and with at most one other reason, as `reason`.
  std::int64_t started_ms = 0, ended_ms = 0;  ///< Wall clock.
  std::int64_t wall_ms = 0, cpu_us = 0;       ///< Boot clock; processor time of the whole tree.
  std::int64_t rss_peak_bytes = 0, read_bytes = 0, written_bytes = 0;
  std::string usage_over_time;      ///< `MS:CPU_MS:BYTES` for each point, with spaces between; empty if there is none.
  std::optional<MachineLoad> load;  ///< While the job ran; none if the machine does not report it.
  std::vector<std::pair<std::string, std::int64_t>> energy_uj;  ///< By zone; empty if unknown.
  std::int64_t energy_from_ms = 0, energy_to_ms = 0;            ///< Their window; wall clock.
  std::string energy_missing;                                   ///< Why the energy is unknown.
  std::string isolation;                              ///< sandbox | pid_namespace | process_tree | none (never started)
  std::optional<kernel::EvaluatorOutcome> evaluator;  ///< None if the job was not evaluated.
  bool logs_complete = true;
  bool durable = true;  ///< Synced with the results; otherwise the outcome is valid until the machine restarts.
};

/// Shorter runs are not synced: to repeat one after a power cut costs less than to sync every run.
inline constexpr std::int64_t worth_syncing_ms = 10'000;

/// False, with errno, if the disk refuses.
bool write_outcome(int folder, const Outcome&);

}  // namespace supervisor

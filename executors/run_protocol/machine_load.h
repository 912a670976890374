#pragma once
// The machine's load while a job ran, and the part of other processes: two readings of the processors' counters. Values
// that the counters do not give are never estimated.

#include <cstdint>
#include <optional>
#include <string_view>

namespace supervisor {

/// Time of all processors since the machine started.
struct ProcessorTime {
  std::int64_t busy_us = 0;  ///< User, nice, system and interrupt time, and time that a hypervisor took.
  int cpus = 0;
};
/// Parses /proc/stat: proc(5). None if the text has another form.
std::optional<ProcessorTime> parse_processor_time(std::string_view stat, std::int64_t ticks_per_second);
std::optional<ProcessorTime> processor_time();

/// Thousandths of processors, on average.
struct MachineLoad {
  std::int64_t used_mcpu = 0, others_mcpu = 0;
  int cpus = 0;
};
/// The counters have a resolution of 10 ms, so shorter times give no useful value.
inline constexpr std::int64_t shortest_load_ms = 100;
/// `own_us`: the job's processor time between the readings.
std::optional<MachineLoad> machine_load(const std::optional<ProcessorTime>& before,
                                        const std::optional<ProcessorTime>& after, std::int64_t own_us,
                                        std::int64_t wall_ms);

}  // namespace supervisor

#pragma once
// How busy the machine was while a job ran, and with what else: two looks at the processors' counters. What they do not
// say is not guessed.

#include <cstdint>
#include <optional>
#include <string_view>

namespace supervisor {

/// Of all processors since the machine started.
struct ProcessorTime {
  std::int64_t busy_us = 0;  ///< User, nice, system, interrupts, and what a hypervisor took.
  int cpus = 0;
};
/// The text of /proc/stat: proc(5). None where it is no such.
std::optional<ProcessorTime> parse_processor_time(std::string_view stat, std::int64_t ticks_per_second);
std::optional<ProcessorTime> processor_time();

/// Thousandths of processors, on average.
struct MachineLoad {
  std::int64_t used_mcpu = 0, others_mcpu = 0;
  int cpus = 0;
};
/// The counters count hundredths of a second, and say nothing of less than this.
inline constexpr std::int64_t shortest_load_ms = 100;
/// `own_us`: the job's own processor time in between.
std::optional<MachineLoad> machine_load(const std::optional<ProcessorTime>& before,
                                        const std::optional<ProcessorTime>& after, std::int64_t own_us,
                                        std::int64_t wall_ms);

}  // namespace supervisor

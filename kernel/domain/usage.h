#pragma once
// Resources that a job used, as measured. Values without a counter are absent, never estimated.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/boxed_optional.h"

namespace kernel {

/// Increase of energy counters while a job ran: of whole sockets and devices, including other users of them.
struct Energy {
  std::map<std::string, double> counters;  ///< Joules by counter: "package-0", "package-0.dram", a GPU's uuid.
  std::string source;                   ///< "rapl:package-0+package-0.dram", "nvml:GPU-5f1c"; both if there are both.
  std::int64_t from_ms = 0, to_ms = 0;  ///< The window; milliseconds since the epoch.
  bool exclusive = false;               ///< No other run of this kernel overlapped the window.

  double joules() const;  ///< The sum, to the microjoule.
};

/// Usage of the job's devices, sampled while it ran. Absent if no device can report it.
struct GpuUsage {
  std::optional<double> utilisation_mean, utilisation_max;  ///< Share of time, 0 to 1; the mean is also over devices.
  std::optional<std::int64_t> memory_peak_bytes;            ///< Of the device with the highest peak.
  std::int64_t samples = 0;
};

/// Load of the whole machine while a job ran.
struct MachineUse {
  double others_cpus = 0;  ///< Average number of processors that other processes kept busy.
  double used_cpus = 0;    ///< Average number of busy processors.
  int cpus = 0;            ///< Number of processors.
};

struct Usage {
  double cpu_s = 0;
  double wall_s = 0;
  std::int64_t rss_peak_bytes = 0;
  std::int64_t read_bytes = 0, written_bytes = 0;
  BoxedOptional<Energy> energy{};
  BoxedOptional<GpuUsage> gpu{};
  std::optional<MachineUse> machine = std::nullopt;
};

/// True if at least 90 % of the processors were busy and others used at least 10 %: the job may have waited for a
/// processor, and it shared caches and memory.
bool was_busy(const Usage&);

/// The sum rounded to a microjoule, the counters' resolution; this avoids binary rounding errors.
double add_joules(double a, double b);

}  // namespace kernel

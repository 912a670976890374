#pragma once
// What a job took of the machine, as its meters say. What no counter has counted is absent, never estimated.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/boxed_optional.h"

namespace kernel {

/// What energy counters went up by while a job ran: of whole sockets and devices, whoever used them.
struct Energy {
  std::map<std::string, double> counters;  ///< Joules by counter: "package-0", "package-0.dram", a GPU's uuid.
  std::string source;                      ///< "rapl:package-0+package-0.dram", "nvml:GPU-5f1c"; both: "… nvml:…".
  std::int64_t from_ms = 0, to_ms = 0;     ///< The window; milliseconds since the epoch.
  bool exclusive = false;                  ///< No other run of this kernel ran at any time of the window.

  double joules() const;  ///< The sum, to the microjoule.
};

/// Of the devices a job had, sampled while it ran. Absent: no device could say.
struct GpuUsage {
  std::optional<double> utilisation_mean, utilisation_max;  ///< Share of time, 0 to 1; the mean is over devices, too.
  std::optional<std::int64_t> memory_peak_bytes;            ///< Of the device that held most.
  std::int64_t samples = 0;
};

/// What the whole machine did while a job ran.
struct MachineUse {
  double others_cpus = 0;  ///< Processors that were busy with something else than the job, on average.
  double used_cpus = 0;    ///< Processors that were busy at all.
  int cpus = 0;            ///< Those that there are.
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

/// The machine was in use for at least nine tenths, and others had at least a tenth of it: the job may have waited for
/// a processor, and shared caches and memory with them.
bool was_busy(const Usage&);

/// The sum to the microjoule, which is what counters count: binary fractions would leave it beside the point.
double add_joules(double a, double b);

}  // namespace kernel

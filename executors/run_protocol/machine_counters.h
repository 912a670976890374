#pragma once
// The machine's counters over the window of a run: energy (RAPL, in Linux's powercap form) that each package and its
// memory used, and processor time, which gives the load and the part of other processes. Values that the counters do
// not give are never estimated: if an energy counter cannot be read or does not cover the whole window, there are no
// energy values at all. Independent of jobs.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supervisor {

/// Linux's folder of the counters.
inline constexpr char powercap_folder[] = "/sys/class/powercap";

/// One counter: `package-0`, or `package-0.dram` for the memory of that socket.
struct EnergyZone {
  std::string name;
  std::string file;           ///< Absolute path of its energy_uj.
  std::int64_t range_uj = 0;  ///< The counter restarts at 0 after this value.
};

/// All packages and their dram. The platform (psys) and the parts of a package (core, uncore) are left out, because
/// they count the same energy again; so are intel-rapl-mmio zones, which are the same counters.
struct EnergyZones {
  std::vector<EnergyZone> zones;  ///< By name.
  std::string missing;            ///< Why there are none; empty if there are some.
};
/// `root`: the folder of the zones, usually `powercap_folder`.
EnergyZones find_energy_zones(const std::string& root);

class EnergyMeter {
 public:
  /// The window begins here. `root` is empty if energy is not metered.
  explicit EnergyMeter(const std::string& root);

  /// Reads all counters; two looks must be less than one turn of a counter apart.
  void look();
  /// Time of the next look, in boot_ms.
  std::int64_t due() const { return due_; }

  /// Microjoules by zone, from the first look to the last. Empty: see missing().
  std::vector<std::pair<std::string, std::int64_t>> used() const;
  const std::string& missing() const { return missing_; }
  std::int64_t from_ms() const { return from_ms_; }  ///< Wall times of the first and of the last look.
  std::int64_t to_ms() const { return to_ms_; }

 private:
  struct Counter {
    EnergyZone zone;
    std::int64_t last = 0, used = 0;
  };
  void give_up(std::string why);

  std::vector<Counter> counters_;
  std::string missing_;
  std::int64_t from_ms_ = 0, to_ms_ = 0;
  std::int64_t asleep_ms_ = 0;  ///< Time that the machine had slept since its start, at the first look.
  std::int64_t due_;
};

/// Time of all processors since the machine started.
struct ProcessorTime {
  std::int64_t busy_us = 0;  ///< User, nice, system and interrupt time, and time that a hypervisor took.
  int cpus = 0;
  /// What the quota of the control groups around this process kept from it, and how many processors the quota is.
  std::int64_t throttled_us = 0;
  std::optional<double> quota{};
};
/// Parses /proc/stat: proc(5). None if the text has another form.
std::optional<ProcessorTime> parse_processor_time(std::string_view stat, std::int64_t ticks_per_second);
std::optional<ProcessorTime> processor_time();

/// How often Linux has killed a process for want of memory since the machine started, in a control group or at all,
/// from a file like /proc/vmstat. None before Linux 4.13.
std::optional<std::int64_t> oom_kills(const std::string& vmstat);

/// Thousandths of processors, on average.
struct MachineLoad {
  std::int64_t used_mcpu = 0, others_mcpu = 0;
  int cpus = 0;
};
/// The counters have a resolution of 10 ms, so shorter times give no useful value.
inline constexpr std::int64_t shortest_load_ms = 100;
/// `own_us`: the job's processor time between the readings. With a quota that was
/// reached, `used` is what the job had and what the quota kept from it, and `others` only the latter.
std::optional<MachineLoad> machine_load(const std::optional<ProcessorTime>& before,
                                        const std::optional<ProcessorTime>& after, std::int64_t own_us,
                                        std::int64_t wall_ms);

}  // namespace supervisor

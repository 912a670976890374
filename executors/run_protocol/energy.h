#pragma once
// The machine's energy counters (RAPL, as Linux's powercap shows them) over a window: what every package and its memory
// have used between two looks, in microjoules. All or nothing: a counter that cannot be read, or does not cover the
// whole window, leaves no number at all. Knows nothing of jobs.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace supervisor {

/// Where Linux shows them.
inline constexpr char powercap_folder[] = "/sys/class/powercap";

/// One counter that is counted: `package-0`, or `package-0.dram` for the memory of that socket.
struct EnergyZone {
  std::string name;
  std::string file;           ///< Absolute path of its energy_uj.
  std::int64_t range_uj = 0;  ///< Where it starts again at 0.
};

/// Every package and its dram. The whole platform (psys) and the parts of a package (core, uncore) are left out, which
/// hold the same energy once more; so are intel-rapl-mmio zones, second ways to the same counters.
struct EnergyZones {
  std::vector<EnergyZone> zones;  ///< By name.
  std::string missing;            ///< Why there are none, if there are none.
};
/// `root`: where the zones lie, as a rule `powercap_folder`.
EnergyZones find_energy_zones(const std::string& root);

class EnergyMeter {
 public:
  /// The window begins here. `root` empty: nobody asked.
  explicit EnergyMeter(const std::string& root);

  /// Reads every counter; two looks must be less than one turn of a counter apart.
  void look();
  /// When to look next, in boot_ms.
  std::int64_t due() const { return due_; }

  /// Microjoules by zone, from the first look to the last. Empty: see missing().
  std::vector<std::pair<std::string, std::int64_t>> used() const;
  const std::string& missing() const { return missing_; }
  std::int64_t from_ms() const { return from_ms_; }  ///< Wall time of the first look; of the last one.
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
  std::int64_t asleep_ms_ = 0;  ///< How long the machine has slept since its start, at the first look.
  std::int64_t due_;
};

}  // namespace supervisor

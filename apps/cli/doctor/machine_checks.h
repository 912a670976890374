#pragma once
// The checks of `doctor`: whether this machine offers what studies need, and the remedy if it does not. Only looks and
// asks programs for their versions; changes nothing.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

enum class Health { ok, warn, missing };
std::string_view name(Health);

struct MachineCheck {
  std::string name;
  Health health = Health::ok;
  std::string detail;  ///< What was found.
  std::string remedy;  ///< Empty if nothing is wrong.
};

/// Where to look; the defaults are those of this machine.
struct MachineQuery {
  std::string home;                              ///< Absolute; need not exist.
  std::string path;                              ///< $PATH
  std::string self;                              ///< The folder of the running program.
  std::map<std::string, std::string> variables;  ///< The environment, for version managers.
  std::string devices = "/dev";
  std::string cgroups = "/sys/fs/cgroup";
  std::string settings = "/proc/sys";
  std::string own_cgroup = "/proc/self/cgroup";
  std::string powercap;  ///< If empty, $ETUDE_POWERCAP of `variables`, else the system's.
  std::string nvml;      ///< NVIDIA's library; if empty, $ETUDE_NVML, else the system's.
};

MachineCheck check_supervisor(const MachineQuery&);
MachineCheck check_home(const MachineQuery&);
MachineCheck check_sqlite(const MachineQuery&);
MachineCheck check_sandbox(const MachineQuery&);
MachineCheck check_interpreter(const MachineQuery&);
MachineCheck check_gnuplot(const MachineQuery&);
MachineCheck check_graphviz(const MachineQuery&);
MachineCheck check_pdftotext(const MachineQuery&);
MachineCheck check_processor(const MachineQuery&);
MachineCheck check_cgroup(const MachineQuery&);
MachineCheck check_energy(const MachineQuery&);
MachineCheck check_gpus(const MachineQuery&);
MachineCheck check_slurm(const MachineQuery&);
MachineCheck check_ara(const MachineQuery&);

/// All checks, in the order in which people should read them. `missing` is what studies cannot run without.
std::vector<MachineCheck> machine_checks(const MachineQuery&);

}  // namespace cli

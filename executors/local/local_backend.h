#pragma once
// This machine as a backend: each job runs under its own supervisor, in a folder that stays here. $ETUDE_GPUS declares
// devices instead of the driver's list. Also checks whether the machine offers what jobs need, and how to repair what
// is missing; the checks read files and ask programs for their versions, and change nothing.

#include <memory>
#include <string>
#include <vector>

#include "executors/backend/backend.h"
#include "executors/local/launch_job.h"

namespace executors {

std::unique_ptr<Backend> local_backend();

/// Where to look; the defaults are this machine.
struct MachineQuery {
  std::string path;  ///< $PATH
  std::string supervisor = supervisor_beside_us();
  Variables variables = {};  ///< The process's environment.
  std::string devices = "/dev";
  std::string cgroups = "/sys/fs/cgroup";
  std::string settings = "/proc/sys";
  std::string own_cgroup = "/proc/self/cgroup";
  std::string powercap = {};  ///< Empty: $ETUDE_POWERCAP of `variables`, else the system's folder.
  std::string nvml = {};      ///< NVIDIA's library; empty: $ETUDE_NVML, else the system's library.
};

/// In order: supervisor, sandbox, machine, cgroup, energy, gpu.
std::vector<MachineCheck> machine_checks(const MachineQuery&);

}  // namespace executors

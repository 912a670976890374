#pragma once
// What this machine offers to runs: its cores and memory, the facts on it that affect results (and none that identify
// the owner), and the GPUs that may be leased, found by the driver or declared by a person. Also the files that a
// sandbox shows for some of the GPUs only. Changes nothing.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "executors/devices/nvml.h"

namespace executors {

/// Parses a declaration. `2` is devices 0 and 1, `0` is none. A list, with a comma or a memory, names each device:
/// `0,1`, `3,`, `0:80G,GPU-5f1c:40G`. Memory in bytes or with K, M, G, T (powers of 1024).
kernel::Result<std::vector<Gpu>> parse_gpus(std::string_view declaration);

/// The devices that runs may lease: the declared ones with the driver's facts, or all devices of the driver if the
/// declaration is empty. A problem if the driver works and does not list a declared one.
kernel::Result<std::vector<Gpu>> gpu_inventory(std::string_view declaration, const Nvml&);

/// The devices with these ids and the driver's facts. Without a driver an index is its own device. A problem for an
/// unknown id.
kernel::Result<std::vector<Gpu>> leased_gpus(const std::vector<std::string>& ids, const Nvml&);
/// Their ids in the form of CUDA_VISIBLE_DEVICES.
std::string visible_devices(const std::vector<Gpu>&);

/// Files of the devices that a sandbox shows: paths outside and inside.
struct GpuNodes {
  std::vector<std::pair<std::string, std::string>> devices;  ///< /dev/nvidiaN and nodes of all CUDA programs.
  std::vector<std::pair<std::string, std::string>> folders;  ///< PCI entries, read-only.
  std::vector<std::pair<std::string, std::string>> links;    ///< Targets and places of links to them.
};
/// The nodes that exist; none without a device. `root`: prefix of /dev and /sys outside.
GpuNodes gpu_nodes(const std::vector<Gpu>&, const std::string& root = "");

/// Keys: arch, cores (usable by this process), cpu, kernel, memory, os, and where there is a driver of GPUs, driver,
/// cuda and gpu (the devices' names). Unknown facts are left out.
std::map<std::string, std::string> machine_facts();

/// Number of cores that this process may use, by its affinity and the quota of its control groups; at least 1.
int usable_cores();
/// Bytes of the machine's memory, or of what the control groups of this process allow; 0 if unknown.
std::int64_t machine_memory();

}  // namespace executors

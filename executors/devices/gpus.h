#pragma once
// The GPUs of this machine that runs may lease: those the driver knows, or those a person has declared. What a sandbox
// must show for some of them and for no other. Pure but for looking which device nodes are there.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "executors/devices/gpu.h"

namespace executors {

class Nvml;

/// A declaration: `2` is devices 0 and 1, `0` is none; a list, with a comma or a memory, names each: `0,1`, `3,`,
/// `0:80G,GPU-5f1c:40G`. Memory in bytes or with K, M, G, T (powers of 1024).
kernel::Result<std::vector<Gpu>> parse_gpus(std::string_view declaration);

/// The devices runs may lease: the declared ones, completed by what the driver knows of them, or without a declaration
/// (empty) all that it knows. A problem where the driver answers and does not know a declared one.
kernel::Result<std::vector<Gpu>> gpu_inventory(std::string_view declaration, const Nvml&);

/// The devices of these ids, as far as the driver knows them; where it does not answer, an index stands for itself. A
/// problem for an id that nobody knows.
kernel::Result<std::vector<Gpu>> leased_gpus(const std::vector<std::string>& ids, const Nvml&);
/// Their ids, for CUDA_VISIBLE_DEVICES.
std::string visible_devices(const std::vector<Gpu>&);

/// What a sandbox shows of the devices: paths outside and inside.
struct GpuNodes {
  std::vector<std::pair<std::string, std::string>> devices;  ///< /dev/nvidiaN and what all CUDA programs share.
  std::vector<std::pair<std::string, std::string>> folders;  ///< PCI entries, read-only.
  std::vector<std::pair<std::string, std::string>> links;    ///< Target and place of the links to them.
};
/// As far as they are there; nothing for no device. `root`: what stands before /dev and /sys outside.
GpuNodes gpu_nodes(const std::vector<Gpu>&, const std::string& root = "");

}  // namespace executors

#pragma once
// One GPU of this machine, as the driver or a person names it. Unknown values are absent.

#include <cstdint>
#include <optional>
#include <string>

namespace executors {

struct Gpu {
  std::optional<int> index;  ///< The driver's index, in the order of the PCI bus.
  std::string uuid;          ///< "GPU-5f1c…"; empty if only the index is known.
  std::string name;
  std::string pci;                           ///< "0000:3b:00.0", as in /sys/bus/pci/devices; empty if unknown.
  std::optional<int> minor;                  ///< /dev/nvidiaMINOR
  std::optional<std::int64_t> memory_bytes;  ///< Total memory.

  /// Its name in a lease and in CUDA_VISIBLE_DEVICES: the uuid if known, else the index.
  std::string id() const { return uuid.empty() ? std::to_string(index.value_or(0)) : uuid; }
};

}  // namespace executors

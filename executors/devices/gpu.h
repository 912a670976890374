#pragma once
// One GPU of this machine, as the driver or a person names it. What is not known is absent.

#include <cstdint>
#include <optional>
#include <string>

namespace executors {

struct Gpu {
  std::optional<int> index;  ///< As the driver counts, in the order of the PCI bus.
  std::string uuid;          ///< "GPU-5f1c…"; empty where only the index is known.
  std::string name;
  std::string pci;                           ///< "0000:3b:00.0", as /sys/bus/pci/devices names it; empty: unknown.
  std::optional<int> minor;                  ///< /dev/nvidiaMINOR
  std::optional<std::int64_t> memory_bytes;  ///< All of it.

  /// What a lease and CUDA_VISIBLE_DEVICES call it: the uuid if known, else the index.
  std::string id() const { return uuid.empty() ? std::to_string(index.value_or(0)) : uuid; }
};

}  // namespace executors

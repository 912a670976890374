#pragma once
// NVIDIA's management library, opened at run time: the devices of this machine and their counters. Nothing is linked. A
// missing library, function or answer gives an absent value, never an error. Any thread may call it, and a call may
// take milliseconds.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace executors {

/// One GPU of this machine, as the driver or a person names it. Unknown values are absent.
struct Gpu {
  std::optional<int> index;  ///< The driver's index, in the order of the PCI bus; none for an instance.
  std::string uuid;          ///< "GPU-5f1c…", of an instance (MIG) "MIG-…"; empty if only the index is known.
  std::string name;
  std::string pci;                           ///< "0000:3b:00.0", as in /sys/bus/pci/devices; empty if unknown.
  std::optional<int> minor;                  ///< /dev/nvidiaMINOR
  std::optional<std::int64_t> memory_bytes;  ///< Total memory.
  /// Of an instance (MIG): its device, by the minor number above, the GPU instance and the compute instance on it.
  std::optional<int> gpu_instance{}, compute_instance{};

  /// Its name in a lease and in CUDA_VISIBLE_DEVICES: the uuid if known, else the index.
  std::string id() const { return uuid.empty() ? std::to_string(index.value_or(0)) : uuid; }
};

/// A device's present values.
struct GpuReading {
  std::optional<std::int64_t> energy_mj;     ///< Since the driver was loaded.
  std::optional<double> utilisation;         ///< Share of the last sampling period in which it computed, 0 to 1.
  std::optional<std::int64_t> memory_bytes;  ///< In use by any process.
};

/// A process with memory on a device.
struct GpuProcess {
  int pid = 0;                        ///< Outside namespaces.
  std::optional<std::int64_t> bytes;  ///< None if the driver does not tell.
};

class Nvml {
 public:
  /// `library`: path to open; empty: $ETUDE_NVML, else libnvidia-ml.so.1.
  explicit Nvml(std::string library = "");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Why there are no devices; empty if the library works.
  const std::string& missing() const { return missing_; }
  /// "driver" and "cuda", the newest CUDA that the driver knows; without what it does not tell.
  std::map<std::string, std::string> versions() const;
  /// The devices, by index, without those that the driver cannot reach.
  std::vector<Gpu> gpus() const;
  /// `id`: uuid or index. All values are absent for an unknown device.
  GpuReading read(const std::string& id) const;
  /// Processes with memory on the device, by number; none if this is unknown.
  std::optional<std::vector<GpuProcess>> users(const std::string& id) const;
  /// Their numbers.
  std::optional<std::vector<int>> processes(const std::string& id) const;

 private:
  struct Calls;
  void* device(const std::string& id) const;

  std::string missing_;
  void* library_ = nullptr;
  std::unique_ptr<Calls> calls_;
};

}  // namespace executors

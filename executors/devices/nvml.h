#pragma once
// NVIDIA's management library, opened at run time: the devices of this machine and their counters. Nothing is linked. A
// missing library, function or answer gives an absent value, never an error. Any thread may call it, and a call may
// take milliseconds.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executors/devices/gpu.h"

namespace executors {

/// A device's present values.
struct GpuReading {
  std::optional<std::int64_t> energy_mj;     ///< Since the driver was loaded.
  std::optional<double> utilisation;         ///< Share of the last sampling period in which it computed, 0 to 1.
  std::optional<std::int64_t> memory_bytes;  ///< In use by any process.
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
  /// The devices, by index, without those that the driver cannot reach.
  std::vector<Gpu> gpus() const;
  /// `id`: uuid or index. All values are absent for an unknown device.
  GpuReading read(const std::string& id) const;
  /// Processes with memory on the device, by their numbers outside namespaces; none if this is unknown.
  std::optional<std::vector<int>> processes(const std::string& id) const;

 private:
  struct Calls;
  void* device(const std::string& id) const;

  std::string missing_;
  void* library_ = nullptr;
  std::unique_ptr<Calls> calls_;
};

}  // namespace executors

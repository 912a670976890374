#pragma once
// NVIDIA's management library, opened when it is there: what devices this machine has and what their counters say.
// Nothing is linked. A library, a function or an answer that is missing is an absent value, never a fault. May be
// called from any thread, and a call may take milliseconds.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executors/devices/gpu.h"

namespace executors {

/// What a device says of itself just now.
struct GpuReading {
  std::optional<std::int64_t> energy_mj;     ///< Since the driver was loaded.
  std::optional<double> utilisation;         ///< Share of the last moments in which it computed, 0 to 1.
  std::optional<std::int64_t> memory_bytes;  ///< In use, whoever uses it.
};

class Nvml {
 public:
  /// `library`: what to open; empty: $ETUDE_NVML, else libnvidia-ml.so.1.
  explicit Nvml(std::string library = "");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Why there is nothing; empty when the library answers.
  const std::string& missing() const { return missing_; }
  /// The devices, by index; one that the driver cannot reach is left out.
  std::vector<Gpu> gpus() const;
  /// `id`: uuid or index. All absent for a device nobody knows.
  GpuReading read(const std::string& id) const;
  /// Processes that hold memory on the device, as the machine numbers them; nothing where it cannot be known.
  std::optional<std::vector<int>> processes(const std::string& id) const;

 private:
  struct Calls;
  void* device(const std::string& id) const;

  std::string missing_;
  void* library_ = nullptr;
  std::unique_ptr<Calls> calls_;
};

}  // namespace executors

#pragma once
// What the devices a run has leased do while it runs: their energy counters from launch to end, samples of utilisation
// and memory. Keeps what it knows in the run folder's `gpus` file, so that another kernel can go on. One thread uses
// it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "executors/devices/nvml.h"
#include "kernel/domain/usage.h"

namespace executors {

/// A device as it stood just before a run was launched.
struct GpuStart {
  std::string id;
  std::optional<std::int64_t> energy_mj, memory_bytes;
  std::optional<std::vector<int>> processes;
};

/// Whether the device is as free as it was then: no process holds memory on it that did not before, and the memory in
/// use is back. What could be known then and cannot now is not free; where nothing ever could be (no driver), it is.
/// Precondition: the run's tree is gone.
bool free_again(const GpuStart&, const Nvml&);
/// The starts that a run's `gpus` file tells of; none where it is missing, or of before a restart of the machine.
std::optional<std::vector<GpuStart>> gpu_starts(const std::string& file);

class GpuMeter {
 public:
  /// `folder`: the run's. `nvml` must outlive this.
  GpuMeter(const Nvml& nvml, std::string folder) : nvml_(&nvml), folder_(std::move(folder)) {}

  /// Just before the launch; the folder is there. False when its note cannot be kept.
  bool begin(const std::vector<Gpu>&);
  /// Where another kernel has begun; does nothing when it left no note, or one from before a restart of the machine.
  void resume();

  /// When to sample next, in boot_ms.
  std::int64_t due() const { return due_; }
  void sample();
  /// Adds what was found. Precondition: the job has just ended.
  void finish(kernel::Usage&) const;

 private:
  bool keep() const;

  const Nvml* nvml_;
  std::string folder_;
  std::vector<GpuStart> starts_;
  std::int64_t from_ms_ = 0;
  std::int64_t due_ = INT64_MAX;
  // Utilisation is kept in whole per cent, as NVML says it.
  std::int64_t samples_ = 0, shares_ = 0, share_sum_ = 0, share_max_ = 0, memory_peak_ = -1;
};

}  // namespace executors

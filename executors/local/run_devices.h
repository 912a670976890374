#pragma once
// The devices of a run: measured while it runs (energy counters from launch to end, samples of utilisation and memory),
// and held after its end until their memory is free. The run folder's file `gpus` holds the start values, so that
// another kernel can continue. RUNS/STUDY/devices-LAUNCH is a hard link to it and makes the next kernel wait for
// the devices, too; before the run's end, the file itself does. One thread uses it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executors/devices/nvml.h"
#include "executors/run_protocol/usage_series.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// A device's values just before a run was launched.
struct GpuStart {
  std::string id;
  std::optional<std::int64_t> energy_mj, memory_bytes;
  std::optional<std::vector<int>> processes;
  bool shared = false;  ///< Other runs may use it at the same time.
};

/// True if the device is as free as before the launch: no new process holds memory on it, and the memory in use is
/// back, except for that of NVIDIA's server for shares (MPS). A value that was known then and is not now means not
/// free; without any known value (no driver) it is free. A share is free if no process of the launch holds memory on
/// the device. `launch`: the run's ETUDE_RUN. Precondition: the run's process tree is gone.
bool free_again(const GpuStart&, const std::string& launch, const Nvml&);
/// What keeps the device from being free again, as a sentence without a full stop. Precondition: it is not free again.
std::string why_not_free(const GpuStart&, const std::string& launch, const Nvml&);
/// The start values in a run's `gpus` file; none if it is missing or older than the machine's last start.
std::optional<std::vector<GpuStart>> gpu_starts(const std::string& file);

class GpuMeter {
 public:
  /// `folder`: the run's. `nvml` must outlive this object.
  GpuMeter(const Nvml& nvml, std::string folder) : nvml_(&nvml), folder_(std::move(folder)) {}

  /// Call just before the launch, with the folder created. False if the start values cannot be written.
  bool begin(const std::vector<Gpu>&, bool shared);
  /// Continues after another kernel's `begin`; does nothing without a file of this machine's boot.
  void resume();

  /// Time of the next sample, in boot_ms.
  std::int64_t due() const { return due_; }
  void sample();
  /// Adds the measured values. Precondition: the job has just ended.
  void finish(kernel::JobOutcome&) const;

 private:
  bool keep() const;
  std::optional<std::int64_t> own_bytes(const std::string& device) const;

  const Nvml* nvml_;
  std::string folder_;
  std::vector<GpuStart> starts_;
  std::int64_t from_ms_ = 0;
  std::int64_t due_ = INT64_MAX;
  // Over time. A kernel that goes on knows only the sum so far.
  std::int64_t since_ = 0, sampled_at_ = 0, busy_us_ = 0;
  supervisor::UsageSeries series_;
  // Utilisation in whole per cent, as NVML reports it.
  std::int64_t samples_ = 0, shares_ = 0, share_sum_ = 0, share_max_ = 0, memory_peak_ = -1;
};

struct HeldDevices {
  std::string launch;            ///< STUDY/LAUNCH, the end of the run folder's path.
  std::vector<GpuStart> starts;  ///< Their values before the run.
  std::string note;              ///< Absolute path.
  std::string folder{};          ///< Absolute path of the run folder if the job may still run; else empty.
  std::int64_t since_ms = 0;     ///< boot_ms of the first look at the devices after the run's end.
  int waits = 0;                 ///< How often it was reported as held.
  std::string why{};             ///< Why they are not free, once a person should know.

  /// The run's ETUDE_RUN.
  std::string launch_name() const { return launch.substr(launch.rfind('/') + 1); }
};

/// Call before the run folder is removed. Without a `gpus` file there is nothing to wait for.
HeldDevices hold_devices(const std::string& run_folder);

/// The notes of all studies below `runs`, and the launches without a note that may still run. Removes notes of earlier
/// boots, which no device memory survives.
std::vector<HeldDevices> held_devices(const std::string& runs);

}  // namespace executors

#pragma once
// Devices whose run has ended and whose memory may not be free yet. A note next to the run folders makes the next
// kernel wait for them, too. `RUNS/STUDY/devices-NUMBER-TOKEN` is a hard link to the run's `gpus` file.

#include <string>
#include <vector>

#include "executors/local/gpu_meter.h"

namespace executors {

struct HeldDevices {
  std::string run;               ///< sN-rM
  std::vector<GpuStart> starts;  ///< Their values before the run.
  std::string note;              ///< Absolute path.
};

/// Call before the run folder is removed. Without a `gpus` file there is nothing to wait for.
HeldDevices hold_devices(const std::string& run, const std::string& run_folder);

/// The notes of all studies below `runs`. Removes notes of earlier boots, which no device memory survives.
std::vector<HeldDevices> held_devices(const std::string& runs);

}  // namespace executors

#pragma once
// Devices whose run is over and whose memory may not be free yet: a note beside the run folders for each such run, so
// that the next kernel waits for them, too. `RUNS/STUDY/devices-NUMBER-TOKEN` is another name of the run's `gpus` file.

#include <string>
#include <vector>

#include "executors/local/gpu_meter.h"

namespace executors {

struct HeldDevices {
  std::string run;               ///< sN-rM
  std::vector<GpuStart> starts;  ///< As they stood before it.
  std::string note;              ///< Absolute.
};

/// Before the run folder may go. Nothing to wait for where the run left no word of its devices.
HeldDevices hold_devices(const std::string& run, const std::string& run_folder);

/// Those of all studies below `runs`. Notes of before a restart of the machine are removed: no memory outlives that.
std::vector<HeldDevices> held_devices(const std::string& runs);

}  // namespace executors

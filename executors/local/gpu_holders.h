#pragma once
// The processes that hold memory on a GPU, and what this machine knows of them. Reads /proc; changes nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executors/devices/nvml.h"

namespace executors {

struct GpuHolder {
  int pid = 0;
  std::optional<std::int64_t> bytes;  ///< On this device; none if the driver does not tell.
  bool seen = false;                  ///< It is in this /proc: not a process outside of a container, nor a dead one.
  std::string program;                ///< Its program and script, such as "python3 train.py"; no other arguments.
  std::string user;                   ///< Name or number.
  std::string launch;                 ///< Its ETUDE_RUN; empty if it has none, or may not be read.
  bool watched = false;               ///< A supervisor is among the processes above it.

  /// NVIDIA's own server, which keeps a context on the device for its clients.
  bool is_mps_server() const { return program.starts_with("nvidia-cuda-mps"); }
  /// It came from a run, and nothing ends it any more.
  bool is_orphan() const { return !launch.empty() && !watched; }
};

/// None if the driver does not list processes.
std::optional<std::vector<GpuHolder>> gpu_holders(const Nvml&, const std::string& device);

/// "process 4711 (python3 train.py, user ada, left by run 5f1c…) holds 2.1 GB"
std::string holder_words(const GpuHolder&);

}  // namespace executors

#include "executors/local/held_devices.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

#include "executors/run_protocol/run_files.h"
#include "kernel/runs/job.h"

namespace executors {

namespace fs = std::filesystem;

constexpr char held_prefix[] = "devices-";

HeldDevices hold_devices(const std::string& run, const std::string& run_folder) {
  const fs::path folder = run_folder;
  const std::string note = folder.parent_path() / (held_prefix + folder.filename().string());
  // Without a note only the next kernel does not wait for the devices.
  if (link((run_folder + "/" + supervisor::gpus_file).c_str(), note.c_str()) != 0 && errno == ENOENT)
    return {run, {}, ""};
  return {run, gpu_starts(run_folder + "/" + supervisor::gpus_file).value_or(std::vector<GpuStart>()), note};
}

std::vector<HeldDevices> held_devices(const std::string& runs) {
  std::vector<HeldDevices> held;
  std::error_code error;
  for (fs::directory_iterator study(runs, error), end; !error && study != end; study.increment(error)) {
    std::error_code unreadable;
    for (fs::directory_iterator entry(study->path(), unreadable), last; !unreadable && entry != last;
         entry.increment(unreadable)) {
      const std::string name = entry->path().filename();
      if (!name.starts_with(held_prefix)) continue;
      const int number = std::atoi(name.c_str() + sizeof held_prefix - 1);
      auto starts = gpu_starts(entry->path());
      if (starts)
        held.push_back(
            {study->path().filename().string() + "-r" + std::to_string(number), std::move(*starts), entry->path()});
      else
        unlink(entry->path().c_str());
    }
  }
  return held;
}

}  // namespace executors

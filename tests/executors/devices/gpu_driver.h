#pragma once
// The driver of a machine with GPUs, as a fake of NVIDIA's library tells of it, and a run on them.
// tests/fakes/nvml_fake.c has the form of its file.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "executors/devices/nvml.h"
#include "tests/executors/fixture.h"
#include "tests/places.h"

namespace test {

inline const std::string nvml_fake = tests::build_dir() + "/nvml_fake.so";
/// Without energy counters.
inline const std::string nvml_fake_old = tests::build_dir() + "/nvml_fake_old.so";
inline constexpr char two_devices[] =
    "uuid=GPU-a name=A100 minor=3 pci=0:3b:0 total=1000 used=10 energy=5000 share=0 pids=\n"
    "uuid=GPU-b name=A100 minor=1 pci=1:af:0 total=2000 used=20 energy=7000 share=0 pids=77\n";

/// The devices of this machine, while it lives.
class GpuDriver {
 public:
  explicit GpuDriver(const std::string& devices, const std::string& library = nvml_fake) {
    says(devices);
    ::setenv("NVML_FAKE", (folder_ / "devices").c_str(), 1);
    ::setenv("ETUDE_NVML", library.c_str(), 1);
  }
  ~GpuDriver() {
    ::unsetenv("NVML_FAKE");
    ::unsetenv("ETUDE_NVML");
  }
  void says(const std::string& devices) {
    write(folder_ / "devices.new", devices);
    std::filesystem::rename(folder_ / "devices.new", folder_ / "devices");
  }

 private:
  Folder folder_;
};

using Ids = std::vector<std::string>;

inline Ids gpu_ids(const std::vector<executors::Gpu>& gpus) {
  Ids list;
  for (const executors::Gpu& gpu : gpus) list.push_back(gpu.id());
  return list;
}

/// Waits for the file `go` in its folder, and prints the devices that it sees.
inline kernel::JobSpec gpu_job(const Bench& bench, const std::string& run, Ids gpus) {
  kernel::JobSpec job = bench.job(run, "until test -e ../go; do sleep 0.05; done; echo $CUDA_VISIBLE_DEVICES");
  job.resources.sandbox = kernel::SandboxMode::none;
  job.set["CUDA_VISIBLE_DEVICES"] = "0,1,2,3";
  job.gpus = std::move(gpus);
  return job;
}

}  // namespace test

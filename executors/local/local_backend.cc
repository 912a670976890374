#include "executors/local/local_backend.h"

#include <cstdlib>
#include <stdexcept>

#include "executors/devices/gpus.h"
#include "executors/devices/machine.h"
#include "executors/devices/nvml.h"
#include "executors/local/adoption.h"
#include "executors/local/local_executor.h"
#include "executors/local/machine_checks.h"
#include "executors/local/run_folder.h"
#include "executors/sandbox/sandbox.h"
#include "executors/toolchain/toolchain.h"
#include "programs/run_program.h"

namespace executors {
namespace {

class LocalBackend : public Backend {
 public:
  std::unique_ptr<kernel::Executor> executor(kernel::JobListener listener) const override {
    return std::make_unique<LocalExecutor>(std::move(listener));
  }
  Harvest harvest(const std::string& run_folder) const override { return Harvest(run_folder); }

  bool is_supervised(const std::string& run_folder) const override { return executors::is_supervised(run_folder); }
  bool end_stray(const std::string& run_folder) const override { return executors::end_stray(run_folder); }
  void remove(const std::string& run_folder) const override { remove_run_folder(run_folder); }

  kernel::Machine machine() const override {
    kernel::Machine machine{usable_cores(), machine_memory(), {}, {}};
    const char* declared = std::getenv("ETUDE_GPUS");
    const auto gpus = gpu_inventory(declared ? declared : "", Nvml());
    if (!gpus) throw std::runtime_error(gpus.problem().text());
    for (const Gpu& gpu : *gpus) machine.gpus.push_back({gpu.id(), gpu.memory_bytes.value_or(0)});
    return machine;
  }
  int cores() const override { return usable_cores(); }
  std::map<std::string, std::string> machine_facts() const override { return executors::machine_facts(); }

  kernel::Result<kernel::EnvironmentRecord> resolve(const EnvironmentQuery& query,
                                                    const Variables& own) const override {
    return resolve_environment(query, own);
  }
  SandboxProbe probe_sandbox(const Variables& own) const override {
    return executors::probe_sandbox(programs::variable(own, "PATH", "/usr/bin:/bin"));
  }
  std::vector<MachineCheck> checks(const Variables& own) const override {
    return machine_checks({.path = programs::variable(own, "PATH", "/usr/local/bin:/usr/bin:/bin"), .variables = own});
  }
};

}  // namespace

std::unique_ptr<Backend> local_backend() {
  return std::make_unique<LocalBackend>();
}

}  // namespace executors

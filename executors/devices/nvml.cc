#include "executors/devices/nvml.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <dlfcn.h>
#include <fmt/format.h>

namespace executors {

// The used part of nvml.h, as in its stable ABI.
using NvmlDevice = void*;
constexpr int nvml_success = 0;
constexpr int nvml_insufficient_size = 7;
constexpr unsigned long long nvml_not_available = ~0ull;
struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlUtilization {
  unsigned gpu, memory;
};
struct NvmlPci {
  char legacy_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char id[32];
};
struct NvmlProcess {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

namespace {

template <typename Function>
void find_symbol(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

std::string library_name(std::string given) {
  if (!given.empty()) return given;
  const char* chosen = std::getenv("ETUDE_NVML");
  return chosen && *chosen ? chosen : "libnvidia-ml.so.1";
}

bool is_index(const std::string& id) {
  return !id.empty() && id.size() < 6 && id.find_first_not_of("0123456789") == std::string::npos;
}

/// "00000000:3B:00.0" → "0000:3b:00.0", Linux's name.
std::string pci_name(const NvmlPci& pci) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
}

}  // namespace

struct Nvml::Calls {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error)(int) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
  int (*cuda)(int*) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, NvmlDevice*) = nullptr;
  int (*by_uuid)(const char*, NvmlDevice*) = nullptr;
  int (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  int (*name)(NvmlDevice, char*, unsigned) = nullptr;
  int (*minor)(NvmlDevice, unsigned*) = nullptr;
  int (*pci)(NvmlDevice, NvmlPci*) = nullptr;
  int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*utilisation)(NvmlDevice, NvmlUtilization*) = nullptr;
  int (*energy)(NvmlDevice, unsigned long long*) = nullptr;
  int (*compute)(NvmlDevice, unsigned*, NvmlProcess*) = nullptr;
  int (*graphics)(NvmlDevice, unsigned*, NvmlProcess*) = nullptr;
  int (*mig_mode)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  int (*most_instances)(NvmlDevice, unsigned*) = nullptr;
  int (*instance)(NvmlDevice, unsigned, NvmlDevice*) = nullptr;
  int (*gpu_instance)(NvmlDevice, unsigned*) = nullptr;
  int (*compute_instance)(NvmlDevice, unsigned*) = nullptr;

  /// False if the function is missing or fails.
  template <typename Function, typename... Arguments>
  static bool ask(Function* function, Arguments... arguments) {
    return function && function(arguments...) == nvml_success;
  }
  static bool add_processes(int (*list)(NvmlDevice, unsigned*, NvmlProcess*), NvmlDevice, std::vector<GpuProcess>&);
  /// The instances of a divided device; empty if it is whole.
  std::vector<Gpu> instances_of(NvmlDevice, const Gpu&) const;
};

Nvml::Nvml(std::string library) : calls_(std::make_unique<Calls>()) {
  library = library_name(std::move(library));
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) {
    missing_ = library + ": absent";
    return;
  }
  find_symbol(library_, "nvmlInit_v2", calls_->init);
  find_symbol(library_, "nvmlShutdown", calls_->shutdown);
  find_symbol(library_, "nvmlErrorString", calls_->error);
  find_symbol(library_, "nvmlSystemGetDriverVersion", calls_->driver);
  find_symbol(library_, "nvmlSystemGetCudaDriverVersion_v2", calls_->cuda);
  find_symbol(library_, "nvmlDeviceGetCount_v2", calls_->count);
  find_symbol(library_, "nvmlDeviceGetHandleByIndex_v2", calls_->by_index);
  find_symbol(library_, "nvmlDeviceGetHandleByUUID", calls_->by_uuid);
  find_symbol(library_, "nvmlDeviceGetUUID", calls_->uuid);
  find_symbol(library_, "nvmlDeviceGetName", calls_->name);
  find_symbol(library_, "nvmlDeviceGetMinorNumber", calls_->minor);
  find_symbol(library_, "nvmlDeviceGetPciInfo_v3", calls_->pci);
  find_symbol(library_, "nvmlDeviceGetMemoryInfo", calls_->memory);
  find_symbol(library_, "nvmlDeviceGetUtilizationRates", calls_->utilisation);
  find_symbol(library_, "nvmlDeviceGetTotalEnergyConsumption", calls_->energy);
  find_symbol(library_, "nvmlDeviceGetComputeRunningProcesses_v3", calls_->compute);
  find_symbol(library_, "nvmlDeviceGetGraphicsRunningProcesses_v3", calls_->graphics);
  find_symbol(library_, "nvmlDeviceGetMigMode", calls_->mig_mode);
  find_symbol(library_, "nvmlDeviceGetMaxMigDeviceCount", calls_->most_instances);
  find_symbol(library_, "nvmlDeviceGetMigDeviceHandleByIndex", calls_->instance);
  find_symbol(library_, "nvmlDeviceGetGpuInstanceId", calls_->gpu_instance);
  find_symbol(library_, "nvmlDeviceGetComputeInstanceId", calls_->compute_instance);
  const int answer = calls_->init ? calls_->init() : nvml_success;
  if (calls_->init && answer == nvml_success) return;
  if (!calls_->init)
    missing_ = library + ": it has no nvmlInit_v2";
  else
    missing_ = library + ": " + (calls_->error ? calls_->error(answer) : "error " + std::to_string(answer));
  *calls_ = Calls{};
  dlclose(library_);
  library_ = nullptr;
}

Nvml::~Nvml() {
  if (!library_) return;
  if (calls_->shutdown) calls_->shutdown();
  dlclose(library_);
}

std::map<std::string, std::string> Nvml::versions() const {
  std::map<std::string, std::string> versions;
  char text[128] = {};
  if (Calls::ask(calls_->driver, text, unsigned{sizeof text - 1})) versions["driver"] = text;
  // 12020 is 12.2.
  if (int cuda = 0; Calls::ask(calls_->cuda, &cuda))
    versions["cuda"] = fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10);
  return versions;
}

std::vector<Gpu> Nvml::gpus() const {
  std::vector<Gpu> found;
  unsigned count = 0;
  if (!Calls::ask(calls_->count, &count)) return found;
  for (unsigned index = 0; index < count; ++index) {
    NvmlDevice device = nullptr;
    if (!Calls::ask(calls_->by_index, index, &device)) continue;
    Gpu gpu;
    gpu.index = static_cast<int>(index);
    char text[128] = {};
    if (Calls::ask(calls_->uuid, device, text, unsigned{sizeof text - 1})) gpu.uuid = text;
    std::fill(std::begin(text), std::end(text), '\0');
    if (Calls::ask(calls_->name, device, text, unsigned{sizeof text - 1})) gpu.name = text;
    unsigned minor = 0;
    if (Calls::ask(calls_->minor, device, &minor)) gpu.minor = static_cast<int>(minor);
    NvmlPci pci{};
    if (Calls::ask(calls_->pci, device, &pci)) gpu.pci = pci_name(pci);
    NvmlMemory memory{};
    if (Calls::ask(calls_->memory, device, &memory)) gpu.memory_bytes = static_cast<std::int64_t>(memory.total);
    if (std::vector<Gpu> instances = calls_->instances_of(device, gpu); !instances.empty())
      std::ranges::move(instances, std::back_inserter(found));
    else
      found.push_back(std::move(gpu));
  }
  return found;
}

void* Nvml::device(const std::string& id) const {
  NvmlDevice device = nullptr;
  if (is_index(id))
    return Calls::ask(calls_->by_index, static_cast<unsigned>(std::stoul(id)), &device) ? device : nullptr;
  return Calls::ask(calls_->by_uuid, id.c_str(), &device) ? device : nullptr;
}

GpuReading Nvml::read(const std::string& id) const {
  GpuReading reading;
  const NvmlDevice at = device(id);
  if (!at) return reading;
  unsigned long long energy = 0;
  if (Calls::ask(calls_->energy, at, &energy)) reading.energy_mj = static_cast<std::int64_t>(energy);
  NvmlUtilization utilisation{};
  if (Calls::ask(calls_->utilisation, at, &utilisation) && utilisation.gpu <= 100)
    reading.utilisation = utilisation.gpu / 100.0;
  NvmlMemory memory{};
  if (Calls::ask(calls_->memory, at, &memory)) reading.memory_bytes = static_cast<std::int64_t>(memory.used);
  return reading;
}

std::vector<Gpu> Nvml::Calls::instances_of(NvmlDevice device, const Gpu& whole) const {
  std::vector<Gpu> found;
  unsigned divided = 0, pending = 0, most = 0;
  if (!ask(mig_mode, device, &divided, &pending) || divided == 0 || !ask(most_instances, device, &most)) return found;
  for (unsigned i = 0; i < most; ++i) {
    NvmlDevice at = nullptr;
    char text[128] = {};
    if (!ask(instance, device, i, &at) || !ask(uuid, at, text, unsigned{sizeof text - 1})) continue;
    Gpu gpu = whole;
    gpu.index.reset();
    gpu.uuid = text;
    gpu.memory_bytes.reset();
    std::fill(std::begin(text), std::end(text), '\0');
    if (ask(name, at, text, unsigned{sizeof text - 1})) gpu.name = text;
    unsigned number = 0;
    if (ask(gpu_instance, at, &number)) gpu.gpu_instance = static_cast<int>(number);
    if (ask(compute_instance, at, &number)) gpu.compute_instance = static_cast<int>(number);
    NvmlMemory of_instance{};
    if (ask(memory, at, &of_instance)) gpu.memory_bytes = static_cast<std::int64_t>(of_instance.total);
    found.push_back(std::move(gpu));
  }
  return found;
}

bool Nvml::Calls::add_processes(int (*list)(NvmlDevice, unsigned*, NvmlProcess*), NvmlDevice device,
                                std::vector<GpuProcess>& found) {
  if (!list) return false;
  std::vector<NvmlProcess> processes(64);
  for (int round = 0; round < 5; ++round) {
    auto count = static_cast<unsigned>(processes.size());
    const int answer = list(device, &count, processes.data());
    if (answer == nvml_insufficient_size) {
      // More processes may appear before the next call.
      processes.resize(std::max<std::size_t>(count, processes.size()) * 2);
      continue;
    }
    if (answer != nvml_success || count > processes.size()) return false;
    for (unsigned i = 0; i < count; ++i)
      if (processes[i].memory == nvml_not_available)
        found.push_back({static_cast<int>(processes[i].pid), std::nullopt});
      else if (processes[i].memory > 0)
        found.push_back({static_cast<int>(processes[i].pid), static_cast<std::int64_t>(processes[i].memory)});
    return true;
  }
  return false;
}

std::optional<std::vector<GpuProcess>> Nvml::users(const std::string& id) const {
  std::vector<GpuProcess> found;
  const NvmlDevice at = device(id);
  if (!at || !Calls::add_processes(calls_->compute, at, found)) return std::nullopt;
  Calls::add_processes(calls_->graphics, at, found);
  std::ranges::sort(found, {}, &GpuProcess::pid);
  const auto again = std::ranges::unique(found, {}, &GpuProcess::pid);
  found.erase(again.begin(), again.end());
  return found;
}

std::optional<std::vector<int>> Nvml::processes(const std::string& id) const {
  const auto found = users(id);
  if (!found) return std::nullopt;
  std::vector<int> pids;
  for (const GpuProcess& process : *found) pids.push_back(process.pid);
  return pids;
}

}  // namespace executors

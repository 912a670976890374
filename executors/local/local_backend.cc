#include "executors/local/local_backend.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <unistd.h>

#include "executors/devices/machine.h"
#include "executors/devices/nvml.h"
#include "executors/local/adoption.h"
#include "executors/local/gpu_holders.h"
#include "executors/local/local_executor.h"
#include "executors/local/run_folder.h"
#include "executors/run_protocol/machine_counters.h"
#include "executors/run_protocol/run_files.h"
#include "executors/sandbox/sandbox.h"
#include "executors/toolchain/toolchain.h"
#include "programs/find_program.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace executors {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

MachineCheck check_supervisor(const MachineQuery& query) {
  const std::string& program = query.supervisor;
  if (programs::is_executable_file(program)) return {"supervisor", Health::ok, program, ""};
  return {"supervisor", Health::missing, "there is no " + program + ", which starts every run",
          "build it, or install it beside etude"};
}

MachineCheck check_sandbox(const MachineQuery& query) {
  const SandboxProbe probe = probe_sandbox(query.path, query.settings);
  if (!probe.works)
    return {"sandbox", Health::warn, probe.why + "; jobs are held by " + probe.walls,
            probe.remedy + "; `sandbox: require` in a study refuses to run without"};
  return {"sandbox", Health::ok, fmt::format("{} ({}), no capabilities inside", probe.version, probe.bwrap), ""};
}

MachineCheck check_processor() {
  const std::map<std::string, std::string> facts = machine_facts();
  const auto fact = [&](const char* key) {
    const auto found = facts.find(key);
    return found == facts.end() ? std::string("unknown") : found->second;
  };
  return {"machine", Health::ok,
          fmt::format("{} core{}, {} memory, {}, {}", fact("cores"), fact("cores") == "1" ? "" : "s", fact("memory"),
                      fact("cpu"), fact("os")),
          ""};
}

MachineCheck check_cgroup(const MachineQuery& query) {
  const std::string line = first_line(query.own_cgroup);
  std::string found = "version 1 or none";
  if (line.rfind("0::/", 0) == 0) {
    const std::string own = query.cgroups + line.substr(3);
    const bool memory = (" " + first_line(own + "/cgroup.controllers") + " ").find(" memory ") != std::string::npos;
    const bool ours = ::access(own.c_str(), W_OK) == 0 && ::access((own + "/cgroup.procs").c_str(), W_OK) == 0;
    found = memory && ours ? "version 2, delegated" : "version 2, not delegated";
  }
  return {
      "cgroup", Health::ok,
      found +
          "; memory limits watch each run's processes. Not counted: what is in pipes and sockets, files in memory "
          "that are mapped but no longer open, System V segments without a sandbox; and of the disk, folders that a "
          "job closed to its own user",
      ""};
}

MachineCheck check_energy(const MachineQuery& query) {
  std::string root = query.powercap;
  if (root.empty()) root = programs::variable(query.variables, "ETUDE_POWERCAP", supervisor::powercap_folder);
  const supervisor::EnergyZones found = supervisor::find_energy_zones(root);
  std::string detail;
  for (const supervisor::EnergyZone& zone : found.zones) detail += (detail.empty() ? "" : ", ") + zone.name;
  MachineCheck check{"energy", Health::ok,
                     "energy counters: " + (detail.empty() ? found.missing : root + ": " + detail), ""};
  if (found.missing.find("Permission denied") != std::string::npos)
    check.remedy = "runs have no energy figure; as root: chmod a+r " + root + "/intel-rapl:*/energy_uj";
  const Nvml nvml(query.nvml);
  const std::vector<Gpu> gpus = nvml.gpus();
  const auto counted =
      std::ranges::count_if(gpus, [&nvml](const Gpu& gpu) { return nvml.read(gpu.id()).energy_mj.has_value(); });
  if (!nvml.missing().empty())
    check.detail += "; " + nvml.missing();
  else
    check.detail +=
        fmt::format("; of {} of {}", counted, prose::counted(static_cast<std::int64_t>(gpus.size()), "GPU"));
  return check;
}

/// The processes that hold memory on devices: what runs of etude left there, and what may leave too little for runs.
void add_holders(const Nvml& nvml, MachineCheck& check) {
  constexpr std::int64_t much = 1 << 30;
  std::string orphans, others;
  for (const Gpu& gpu : nvml.gpus())
    for (const GpuHolder& holder : gpu_holders(nvml, gpu.id()).value_or(std::vector<GpuHolder>())) {
      check.detail += fmt::format("; {}: {}", gpu.id(), holder_words(holder));
      if (holder.is_orphan())
        orphans += fmt::format(" {}", holder.pid);
      else if (holder.launch.empty() && !holder.is_mps_server() && holder.bytes.value_or(much) >= much)
        others += (others.empty() ? "" : ", ") + gpu.id();
    }
  if (orphans.empty() && others.empty()) return;
  check.health = Health::warn;
  if (!orphans.empty()) check.remedy = "end what runs left: kill" + orphans;
  if (!others.empty())
    check.remedy += (orphans.empty() ? "" : "; ") +
                    fmt::format(
                        "runs get {} all the same, with the memory that is left: end those processes, or name "
                        "the other devices in $ETUDE_GPUS",
                        others);
}

MachineCheck check_gpus(const MachineQuery& query) {
  int gpus = 0, closed = 0;
  std::error_code error;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(query.devices, error)) {
    const std::string file = entry.path().filename().string();
    if (file.rfind("nvidia", 0) != 0 || file.size() == 6 ||
        file.find_first_not_of("0123456789", 6) != std::string::npos)
      continue;
    ++gpus;
    if (::access(entry.path().c_str(), R_OK | W_OK) != 0) ++closed;
  }
  if (gpus == 0) return {"gpu", Health::ok, "none", ""};
  if (closed > 0)
    return {"gpu", Health::warn, fmt::format("{} of {} NVIDIA devices cannot be opened", closed, gpus),
            "give this user the right to open /dev/nvidia*"};
  MachineCheck check{"gpu", Health::ok, prose::counted(gpus, "NVIDIA device"), ""};
  add_holders(Nvml(query.nvml), check);
  return check;
}

class LocalBackend : public Backend {
 public:
  std::string name() const override { return "local"; }
  std::optional<kernel::Problem> open_for(const std::string& home) const override { return launches_of_another(home); }
  std::optional<kernel::Problem> launches_of_another(const std::string& home) const override {
    const std::string other = launch_with(home, supervisor::submission_file);
    if (other.empty()) return std::nullopt;
    return kernel::Problem{"",
                           0,
                           home,
                           "jobs of it are on a Slurm cluster",
                           "say --executor slurm, with the configuration that they were started with",
                           true};
  }
  std::unique_ptr<kernel::Executor> executor(kernel::JobListener listener) const override {
    return std::make_unique<LocalExecutor>(std::move(listener));
  }
  Harvest harvest(const std::string& run_folder) const override { return Harvest(run_folder); }

  bool is_supervised(const std::string& run_folder) const override { return executors::is_supervised(run_folder); }
  bool end_stray(const std::string& run_folder) const override { return executors::end_stray(run_folder); }
  void remove(const std::string& run_folder) const override { remove_run_folder(run_folder); }

  kernel::Machine machine() const override {
    kernel::Machine machine{usable_cores(), machine_memory(), {}, {}};
    machine.starts_in_turn = true;
    const char* declared = std::getenv("ETUDE_GPUS");
    const auto gpus = gpu_inventory(declared ? declared : "", Nvml());
    if (!gpus) throw std::runtime_error(gpus.problem().text());
    for (const Gpu& gpu : *gpus) machine.gpus.push_back({gpu.id(), gpu.memory_bytes.value_or(0), true, gpu.name});
    return machine;
  }
  int cores() const override { return usable_cores(); }
  std::map<std::string, std::string> machine_facts() const override { return executors::machine_facts(); }

  kernel::Result<kernel::EnvironmentRecord> resolve(const EnvironmentQuery& query,
                                                    const Variables& own) const override {
    return resolve_environment(query, own);
  }
  std::vector<kernel::Problem> missing_programs(const EnvironmentQuery& query, const Variables& own) const override {
    return executors::missing_programs(query, own);
  }
  std::optional<kernel::ProgramRecord> named_environment(const EnvironmentQuery& query,
                                                         const Variables& own) const override {
    return executors::named_environment(query, own);
  }
  SandboxProbe probe_sandbox(const Variables& own) const override {
    return executors::probe_sandbox(programs::variable(own, "PATH", "/usr/bin:/bin"));
  }
  std::vector<MachineCheck> checks(const Variables& own) const override {
    return machine_checks({.path = programs::variable(own, "PATH", "/usr/local/bin:/usr/bin:/bin"), .variables = own});
  }
};

}  // namespace

std::vector<MachineCheck> machine_checks(const MachineQuery& query) {
  return {check_supervisor(query), check_sandbox(query), check_processor(),
          check_cgroup(query),     check_energy(query),  check_gpus(query)};
}

std::unique_ptr<Backend> local_backend() {
  return std::make_unique<LocalBackend>();
}

}  // namespace executors

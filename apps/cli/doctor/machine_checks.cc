#include "apps/cli/doctor/machine_checks.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "executors/devices/machine.h"
#include "executors/devices/nvml.h"
#include "executors/run_protocol/energy.h"
#include "executors/sandbox/sandbox.h"
#include "executors/toolchain/toolchain.h"
#include "memory/files/home_folder.h"
#include "memory/log/database.h"
#include "programs/find_program.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t scarce_bytes = 2ull << 30;

std::string version_of(const std::string& program, const char* option) {
  const auto ran = programs::run_program(
      {.argv = {program, option}, .environment = {{"PATH", "/usr/bin:/bin"}}, .limit = std::chrono::seconds(5)});
  if (!ran) return program;
  const std::string& said = ran->out.empty() ? ran->err : ran->out;
  const std::string line = said.substr(0, said.find('\n'));
  return line.empty() ? program : fmt::format("{} ({})", line, program);
}

/// The folder itself, or its nearest ancestor that exists.
std::string existing(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return folder.string();
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

MachineCheck optional_program(const MachineQuery& query, const char* check, const char* program, const char* option,
                              const std::string& without, const std::string& remedy) {
  const std::string found = programs::find_on_path(program, query.path);
  if (found.empty()) return {check, Health::warn, without, remedy};
  return {check, Health::ok, version_of(found, option), ""};
}

}  // namespace

std::string_view name(Health health) {
  static constexpr std::string_view names[] = {"ok", "warn", "missing"};
  return names[static_cast<std::size_t>(health)];
}

MachineCheck check_supervisor(const MachineQuery& query) {
  const std::string program = query.self + "/etude-supervisor";
  if (programs::is_executable_file(program)) return {"supervisor", Health::ok, program, ""};
  return {"supervisor", Health::missing, "there is no " + program + ", which starts every run",
          "build it, or install it beside etude"};
}

MachineCheck check_home(const MachineQuery& query) {
  const std::string there = existing(query.home);
  const bool made = there == query.home;
  struct statfs about {};
  const bool asked = ::statfs(there.c_str(), &about) == 0;
  const std::string type = memory::mount_type_of(there);
  const std::string what = fmt::format("{} on {}", query.home, type.empty() ? "an unknown file system" : type);
  if (::access(there.c_str(), W_OK | X_OK) != 0)
    return {"home", Health::missing, fmt::format("{}: {} cannot be written ({})", what, there, std::strerror(errno)),
            "choose another with --home or $ETUDE_HOME"};
  if (const auto network = memory::network_file_system(asked ? static_cast<long>(about.f_type) : 0, type))
    return {"home", Health::missing,
            what + ", a network file system (" + *network + "), where a store would be damaged",
            "choose a local folder with --home or $ETUDE_HOME"};
  const std::uint64_t free =
      asked ? static_cast<std::uint64_t>(about.f_bavail) * static_cast<std::uint64_t>(about.f_bsize) : 0;
  const std::string room = asked ? ", " + prose::bytes_text(static_cast<long long>(free)) + " free" : "";
  if (asked && free < scarce_bytes)
    return {"home", Health::warn, what + room, "make room, or choose another with --home"};
  if (type == "tmpfs" || type == "ramfs")
    return {"home", Health::warn, what + room + ": it is gone after a reboot", "choose another with --home"};
  return {"home", Health::ok, what + room + (made ? "" : ", not made yet"), ""};
}

MachineCheck check_sandbox(const MachineQuery& query) {
  const executors::SandboxProbe probe = executors::probe_sandbox(query.path, query.settings);
  if (!probe.works)
    return {"sandbox", Health::missing, probe.why,
            probe.remedy + "; or say `resources: {sandbox: none}` in a study, on your word"};
  return {"sandbox", Health::ok, fmt::format("{} ({}), no capabilities inside", probe.version, probe.bwrap), ""};
}

MachineCheck check_sqlite(const MachineQuery&) {
  return {"sqlite", Health::ok, memory::sqlite_version(), ""};
}

MachineCheck check_interpreter(const MachineQuery& query) {
  if (programs::find_on_path("python3", query.path).empty())
    return {"python", Health::warn, "no python3 on the PATH; studies that do without do not mind",
            "apt-get install python3"};
  // As for a study with default settings: shims of version managers are resolved.
  const executors::EnvironmentQuery wanted{{}, {{false, {"python3"}}}, "/", "/", {}};
  const auto found = executors::resolve_environment(wanted, query.variables);
  if (!found) return {"python", Health::warn, found.problem().what + ": " + found.problem().why, found.problem().todo};
  for (const kernel::ProgramRecord& program : found->programs)
    if (program.name == "python3")
      return {"python", Health::ok, fmt::format("{} ({})", program.version, program.path), ""};
  return {"python", Health::ok, programs::find_on_path("python3", query.path), ""};
}

MachineCheck check_gnuplot(const MachineQuery& query) {
  return optional_program(query, "gnuplot", "gnuplot", "--version", "not installed: artifacts come without figures",
                          "apt-get install gnuplot-nox");
}

MachineCheck check_graphviz(const MachineQuery& query) {
  return optional_program(query, "graphviz", "dot", "-V", "not installed: `graph --format svg` needs it",
                          "apt-get install graphviz");
}

MachineCheck check_pdftotext(const MachineQuery& query) {
  return optional_program(query, "pdftotext", "pdftotext", "-v", "not installed: a `corpus` with PDFs needs it",
                          "apt-get install poppler-utils");
}

MachineCheck check_processor(const MachineQuery&) {
  const std::map<std::string, std::string> facts = executors::machine_facts();
  const auto fact = [&](const char* key) {
    const auto found = facts.find(key);
    return found == facts.end() ? std::string("unknown") : found->second;
  };
  return {"machine", Health::ok,
          fmt::format("{} cores, {} memory, {}, {}", fact("cores"), fact("memory"), fact("cpu"), fact("os")), ""};
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
  return {"cgroup", Health::ok, found + "; memory limits watch each run's processes", ""};
}

MachineCheck check_energy(const MachineQuery& query) {
  const auto chosen = query.variables.find("ETUDE_POWERCAP");
  std::string root = query.powercap;
  if (root.empty()) root = chosen == query.variables.end() ? supervisor::powercap_folder : chosen->second;
  const supervisor::EnergyZones found = supervisor::find_energy_zones(root);
  std::string detail;
  for (const supervisor::EnergyZone& zone : found.zones) detail += (detail.empty() ? "" : ", ") + zone.name;
  MachineCheck check{"energy", Health::ok,
                     "energy counters: " + (detail.empty() ? found.missing : root + ": " + detail), ""};
  if (found.missing.find("Permission denied") != std::string::npos)
    check.remedy = "runs have no energy figure; as root: chmod a+r " + root + "/intel-rapl:*/energy_uj";
  const executors::Nvml nvml(query.nvml);
  const std::vector<executors::Gpu> gpus = nvml.gpus();
  const auto counted = std::count_if(gpus.begin(), gpus.end(), [&nvml](const executors::Gpu& gpu) {
    return nvml.read(gpu.id()).energy_mj.has_value();
  });
  if (!nvml.missing().empty())
    check.detail += "; " + nvml.missing();
  else
    check.detail +=
        fmt::format("; of {} of {}", counted, prose::counted(static_cast<std::int64_t>(gpus.size()), "GPU"));
  return check;
}

MachineCheck check_gpus(const MachineQuery& query) {
  int gpus = 0, closed = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(query.devices, error)) {
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
  return {"gpu", Health::ok, prose::counted(gpus, "NVIDIA device"), ""};
}

MachineCheck check_slurm(const MachineQuery& query) {
  const std::string found = programs::find_on_path("sbatch", query.path);
  if (found.empty()) return {"slurm", Health::ok, "none", ""};
  return {"slurm", Health::ok, version_of(found, "--version") + "; runs on it are not available yet", ""};
}

MachineCheck check_ara(const MachineQuery& query) {
  const std::string found = programs::find_on_path("ara", query.path);
  return {"ara", Health::ok,
          found.empty() ? "the official checker is not installed; `etude check` does without" : found, ""};
}

std::vector<MachineCheck> machine_checks(const MachineQuery& query) {
  std::vector<MachineCheck> checks;
  for (const auto check :
       {check_supervisor, check_home, check_sqlite, check_sandbox, check_interpreter, check_gnuplot, check_graphviz,
        check_pdftotext, check_processor, check_cgroup, check_energy, check_gpus, check_slurm, check_ara})
    checks.push_back(check(query));
  return checks;
}

}  // namespace cli

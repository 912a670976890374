#include "apps/cli/doctor/doctor_checks.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "memory/files/home_folder.h"
#include "memory/log/database.h"
#include "programs/bundled_programs.h"
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

/// The folder itself, or the nearest one above it that exists.
std::string existing(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return folder.string();
}

MachineCheck optional_program(const DoctorQuery& query, const char* check, const char* program, const char* option,
                              const std::string& without, const std::string& remedy) {
  const std::string found = programs::find_helper(program, query.path);
  if (found.empty()) return {check, Health::warn, without, remedy};
  return {check, Health::ok, version_of(found, option), ""};
}

MachineCheck check_pdftotext(const DoctorQuery& query) {
  return optional_program(query, "pdftotext", "pdftotext", "-v", "not installed: a `corpus` with PDFs needs it",
                          "apt-get install poppler-utils");
}

MachineCheck check_slurm(const DoctorQuery& query) {
  const std::string found = programs::find_on_path("sbatch", query.path);
  if (found.empty()) return {"slurm", Health::ok, "none", ""};
  std::map<std::string, std::string> variables = {{"PATH", "/usr/bin:/bin"}};
  if (const char* configuration = std::getenv("SLURM_CONF")) variables.emplace("SLURM_CONF", configuration);
  const auto ran =
      programs::run_program({.argv = {found, "--version"}, .environment = variables, .limit = std::chrono::seconds(5)});
  const std::string said = ran ? (ran->out.empty() ? ran->err : ran->out) : "";
  const std::string line = said.substr(0, said.find('\n'));
  if (line.starts_with("slurm "))
    return {"slurm", Health::ok, fmt::format("{} ({}); `--executor slurm` runs jobs there", line, found), ""};
  return {"slurm", Health::warn, fmt::format("{} finds no cluster{}{}", found, line.empty() ? "" : ": ", line),
          "set $SLURM_CONF, or run on a node of the cluster; only `--executor slurm` needs it"};
}

}  // namespace

std::string_view name(Health health) {
  static constexpr std::string_view names[] = {"ok", "warn", "missing"};
  return names[static_cast<std::size_t>(health)];
}

MachineCheck check_home(const DoctorQuery& query) {
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

MachineCheck check_interpreter(const DoctorQuery& query, const executors::Backend& backend) {
  if (programs::find_on_path("python3", query.path).empty())
    return {"python", Health::warn, "no python3 on the PATH; only studies that use Python need it",
            "apt-get install python3"};
  // Found as for a study without an `environment`: shims of version managers are followed.
  const executors::EnvironmentQuery wanted{{}, {{false, {"python3"}}}, "/", "/", {}};
  const auto found = backend.resolve(wanted, query.variables);
  if (!found) return {"python", Health::warn, found.problem().what + ": " + found.problem().why, found.problem().todo};
  for (const kernel::ProgramRecord& program : found->programs)
    if (program.name == "python3")
      return {"python", Health::ok, fmt::format("{} ({})", program.version, program.path), ""};
  return {"python", Health::ok, programs::find_on_path("python3", query.path), ""};
}

MachineCheck check_gnuplot(const DoctorQuery& query) {
  return optional_program(query, "gnuplot", "gnuplot", "--version", "not installed: artifacts come without figures",
                          "apt-get install gnuplot-nox");
}

MachineCheck check_graphviz(const DoctorQuery& query) {
  return optional_program(query, "graphviz", "dot", "-V", "not installed: `graph --format svg` needs it",
                          "apt-get install graphviz");
}

MachineCheck check_ara(const DoctorQuery& query) {
  const std::string found = programs::find_on_path("ara", query.path);
  return {"ara", Health::ok,
          found.empty() ? "the official checker is not installed; `etude check` does not need it" : found, ""};
}

std::vector<MachineCheck> doctor_checks(const DoctorQuery& query, const executors::Backend& backend) {
  std::vector<MachineCheck> checks = backend.checks(query.variables);
  for (MachineCheck& check :
       std::vector{check_home(query), MachineCheck{"sqlite", Health::ok, memory::sqlite_version(), ""},
                   check_interpreter(query, backend), check_gnuplot(query), check_graphviz(query),
                   check_pdftotext(query), check_slurm(query), check_ara(query)})
    checks.push_back(std::move(check));
  constexpr std::string_view order[] = {"supervisor", "home",    "sqlite", "sandbox", "python", "gnuplot", "graphviz",
                                        "pdftotext",  "machine", "cgroup", "energy",  "gpu",    "slurm",   "ara"};
  std::ranges::stable_sort(checks, {}, [&](const MachineCheck& check) { return std::ranges::find(order, check.name); });
  return checks;
}

}  // namespace cli

#include "executors/local/job_environment.h"

#include <algorithm>

#include <fmt/ranges.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executors/backend/backend.h"
#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"
#include "executors/sandbox/sandbox.h"
#include "kernel/runs/job.h"

namespace executors {
namespace {

constexpr const char* thread_counts[] = {"OMP_NUM_THREADS",     "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                         "NUMEXPR_NUM_THREADS", "BLIS_NUM_THREADS",     "VECLIB_MAXIMUM_THREADS",
                                         "NUMBA_NUM_THREADS",   "RAYON_NUM_THREADS",    "POLARS_MAX_THREADS",
                                         "LOKY_MAX_CPU_COUNT",  "JULIA_NUM_THREADS",    "GOMAXPROCS"};
constexpr const char* system_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// In a separate network every port is free; this is the default of torch's launcher.
constexpr int usual_port = 29500;

int free_port() {
  const supervisor::Fd probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (!probe || bind(probe.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return usual_port;
  return ntohs(address.sin_port);
}

bool names(const kernel::CommandTemplate& command, const char* placeholder) {
  return std::ranges::any_of(command.words,
                             [&](const std::string& word) { return word.find(placeholder) != std::string::npos; });
}

}  // namespace

JobPlaces places_inside(const kernel::JobSpec& spec) {
  JobPlaces places{inside::work,       inside::out,  inside::metrics, inside::params,
                   inside::checkpoint, inside::home, "/tmp",          {}};
  for (const kernel::DataMount& data : spec.data) places.data[data.name] = inside::data + data.name;
  return places;
}

JobPlaces places_outside(const kernel::JobSpec& spec, const std::string& checkpoint, const std::string& home) {
  const std::string run = spec.folder + "/";
  JobPlaces places{run + supervisor::work_folder,
                   run + supervisor::out_folder,
                   run + supervisor::metrics_file,
                   run + supervisor::params_file,
                   checkpoint,
                   home.empty() ? run + supervisor::tmp_folder : home,
                   run + supervisor::tmp_folder,
                   {}};
  for (const kernel::DataMount& data : spec.data) places.data[data.name] = data.path;
  return places;
}

std::map<std::string, std::string> job_environment(const kernel::JobSpec& spec, const JobPlaces& places,
                                                   const std::map<std::string, std::string>& own) {
  const std::map<std::string, std::string> passed = spec.passed ? *spec.passed : passed_on(own, spec.pass);
  const auto is_named = [&](const std::string& name) { return std::ranges::find(spec.pass, name) != spec.pass.end(); };
  std::map<std::string, std::string> e;
  // Variables that the study names override those set here.
  for (const auto& [name, value] : passed)
    if (!is_named(name)) e[name] = value;
  e.try_emplace("LANG", "C.UTF-8");
  e["HOME"] = places.home;
  e["USER"] = e["LOGNAME"] = getuid() == 0 ? "root" : "etude";
  e["SHELL"] = "/bin/sh";
  e["TMPDIR"] = places.tmp;
  for (const char* name : thread_counts) e[name] = std::to_string(spec.resources.cpus);
  e["PYTHONHASHSEED"] = std::to_string(spec.seed & 0xffffffffu);
  e["PYTHONDONTWRITEBYTECODE"] = "1";
  e["MPLBACKEND"] = "Agg";
  e["WANDB_MODE"] = "offline";
  e["CUDA_VISIBLE_DEVICES"] = "";
  for (const auto& [name, value] : spec.toolchain.variables) e[name] = value;
  for (const auto& [name, value] : passed)
    if (is_named(name)) e[name] = value;
  for (const auto& [name, value] : spec.set) e[name] = value;
  if (!spec.gpus.empty()) {
    // A study cannot change its lease. Indices are the driver's, in the order of the PCI bus.
    e["CUDA_VISIBLE_DEVICES"] = fmt::format("{}", fmt::join(spec.gpus, ","));
    e["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  }
  e["PATH"] = spec.toolchain.path.empty() ? system_path : fmt::format("{}", fmt::join(spec.toolchain.path, ":"));
  e["ETUDE_RUN"] = kernel::launch_name(spec.token);
  e["ETUDE_ATTEMPT"] = std::to_string(spec.attempt);
  e["ETUDE_SEED"] = std::to_string(spec.seed);
  e["ETUDE_PARAMS"] = places.params;
  e["ETUDE_METRICS"] = places.metrics;
  e["ETUDE_OUTPUT"] = places.out;
  e["ETUDE_CHECKPOINT"] = places.checkpoint;
  return e;
}

JobPlaces evaluator_places(const kernel::JobSpec& spec, const JobPlaces& job) {
  JobPlaces places = job;
  places.checkpoint.clear();
  // Inside a sandbox all paths are the usual ones.
  if (spec.resources.sandbox != kernel::SandboxMode::none) return places;
  const std::string own = spec.folder + "/" + supervisor::evaluator_folder + "/";
  places.work = own + supervisor::work_folder;
  places.metrics = own + supervisor::metrics_file;
  places.tmp = own + supervisor::tmp_folder;
  return places;
}

std::map<std::string, std::string> evaluator_environment(const kernel::JobSpec& spec, const JobPlaces& places,
                                                         const std::map<std::string, std::string>& own) {
  std::map<std::string, std::string> e = job_environment(spec, places, own);
  e.erase("ETUDE_OUTPUT");
  e.erase("ETUDE_CHECKPOINT");
  e["ETUDE_JOB_OUTPUT"] = places.out;
  e["ETUDE_TIER"] = spec.evaluation->tier == kernel::Tier::test ? "test" : "validation";
  return e;
}

std::map<std::string, std::string> placeholder_values(const kernel::JobSpec& spec, const JobPlaces& places) {
  std::map<std::string, std::string> values = spec.values;
  values["run_dir"] = places.out;
  for (const kernel::DataMount& data : spec.data) values[data.placeholder] = places.data.at(data.name);
  const bool own_network = spec.resources.sandbox != kernel::SandboxMode::none && !spec.resources.network;
  if (names(spec.command, "{port}")) values["port"] = std::to_string(own_network ? usual_port : free_port());
  return values;
}

}  // namespace executors

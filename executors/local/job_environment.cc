#include "executors/local/job_environment.h"

#include <algorithm>
#include <cerrno>
#include <random>

#include <fcntl.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "executors/backend/backend.h"
#include "executors/run_protocol/run_files.h"
#include "executors/run_protocol/small_files.h"
#include "executors/sandbox/image_system.h"
#include "executors/sandbox/sandbox.h"
#include "kernel/domain/image_root.h"
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

/// Below the ports that Linux gives to outgoing connections.
constexpr int first_far_port = 20000, last_far_port = 32000;
constexpr std::size_t most_latest = 512;

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
  if (!spec.continued.empty()) places.continued = inside::continued;
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
  if (!spec.continued.empty()) places.continued = run + supervisor::continue_folder;
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
    // An image has no driver of this machine. (Apptainer brings it by itself.)
    if (kernel::image_of(spec.toolchain) && spec.resources.sandbox != kernel::SandboxMode::none) {
      const auto own_libraries = e.find("LD_LIBRARY_PATH");
      e["LD_LIBRARY_PATH"] = driver_folder + (own_libraries == e.end() ? "" : ":" + own_libraries->second);
    }
  }
  e["PATH"] = spec.toolchain.path.empty() ? system_path : fmt::format("{}", fmt::join(spec.toolchain.path, ":"));
  e["ETUDE_RUN"] = kernel::launch_name(spec.token);
  e["ETUDE_ATTEMPT"] = std::to_string(spec.attempt);
  e["ETUDE_SEED"] = std::to_string(spec.seed);
  e["ETUDE_PARAMS"] = places.params;
  e["ETUDE_METRICS"] = places.metrics;
  e["ETUDE_OUTPUT"] = places.out;
  e["ETUDE_CHECKPOINT"] = places.checkpoint;
  if (!places.continued.empty()) e["ETUDE_CONTINUE"] = places.continued;
  return e;
}

JobPlaces evaluator_places(const kernel::JobSpec& spec, const JobPlaces& job) {
  JobPlaces places = job;
  places.checkpoint.clear();
  places.continued.clear();
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
  const bool sandboxed = spec.resources.sandbox != kernel::SandboxMode::none;
  if (!spec.workspace.empty()) e["ETUDE_JOB_CODE"] = sandboxed ? inside::code : spec.workspace;
  e["ETUDE_TIER"] = spec.evaluation->tier == kernel::Tier::test ? "test" : "validation";
  return e;
}

std::map<std::string, std::string> placeholder_values(const kernel::JobSpec& spec, const JobPlaces& places, int port) {
  std::map<std::string, std::string> values = spec.values;
  values["run_dir"] = places.out;
  for (const kernel::DataMount& data : spec.data) values[data.placeholder] = places.data.at(data.name);
  values["port"] = std::to_string(port);
  return values;
}

int JobPorts::port_for(const kernel::JobSpec& spec, bool elsewhere) {
  const bool named = names(spec.command, "{port}") || (spec.evaluation && names(spec.evaluation->command, "{port}"));
  if (!named && spec.gpus.size() < 2) return 0;
  if (spec.resources.sandbox != kernel::SandboxMode::none && !spec.resources.network) return usual_port;
  if (elsewhere) {
    std::random_device random;
    return std::uniform_int_distribution<int>(first_far_port, last_far_port)(random);
  }
  constexpr int most_tries = 64;
  int port = free_port();
  for (int tries = 1; tries < most_tries && std::ranges::count(latest_, port) > 0; ++tries) port = free_port();
  latest_.push_back(port);
  if (latest_.size() > most_latest) latest_.pop_front();
  return port;
}

void add_rendezvous(int port, std::map<std::string, std::string>& environment) {
  // `torchrun` reads its options from PET_…, and sets the others itself for the processes that it starts.
  for (const char* prefix : {"", "PET_"}) {
    environment.try_emplace(std::string(prefix) + "MASTER_ADDR", "127.0.0.1");
    environment.try_emplace(std::string(prefix) + "MASTER_PORT", std::to_string(port));
  }
}

void add_share(const kernel::JobSpec& spec, std::optional<std::int64_t> device_bytes, const std::string& mps,
               std::map<std::string, std::string>& environment) {
  const int share = *spec.resources.gpu_share;
  environment["ETUDE_GPU_SHARE"] = fmt::format("{:g}", share / 1000.0);
  // JAX reserves its part of the device when it starts; a tenth is for contexts and libraries.
  environment.try_emplace("XLA_PYTHON_CLIENT_MEM_FRACTION", fmt::format("{:.4g}", share * 0.9 / 1000));
  const std::int64_t bytes = device_bytes.value_or(0) / 1000 * share;
  if (bytes > 0) environment["ETUDE_GPU_MEMORY"] = std::to_string(bytes);
  if (mps.empty()) return;
  environment["CUDA_MPS_PIPE_DIRECTORY"] = mps;
  environment["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = std::to_string(std::max(1, share / 10));
  if (bytes > 0)
    environment["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = fmt::format("0={}M", std::max<std::int64_t>(1, bytes >> 20));
}

std::string mps_folder(const std::map<std::string, std::string>& own) {
  const auto named = own.find("CUDA_MPS_PIPE_DIRECTORY");
  std::string folder = named == own.end() || named->second.empty() ? "/tmp/nvidia-mps" : named->second;
  const auto text = supervisor::read_file(AT_FDCWD, (folder + "/nvidia-cuda-mps-control.pid").c_str());
  if (!text) return "";
  const auto pid = supervisor::to_number(text->substr(0, text->find_first_not_of("0123456789")));
  const bool runs = pid && *pid > 0 && (kill(static_cast<pid_t>(*pid), 0) == 0 || errno == EPERM);
  return runs ? folder : "";
}

}  // namespace executors

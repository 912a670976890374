#include "executors/local/launch_job.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/result.h"
#include "executors/devices/machine.h"
#include "executors/local/apptainer_exec.h"
#include "executors/local/run_folder.h"
#include "executors/run_protocol/disk_use.h"
#include "executors/run_protocol/machine_counters.h"
#include "executors/run_protocol/resident_messages.h"
#include "executors/run_protocol/run_files.h"
#include "kernel/domain/image_root.h"
#include "kernel/runs/command_line.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace executors {

using kernel::ReasonCode;
using supervisor::Fd;

const std::string token_name(supervisor::token_variable.substr(0, supervisor::token_variable.size() - 1));

namespace {

/// Sets the job's command and environment. One without a sandbox whose programs are in an image runs by Apptainer.
void set_command(const kernel::JobSpec& spec, const JobPlaces& places, bool contained,
                 std::map<std::string, std::string> environment, std::vector<std::string> arguments,
                 supervisor::Job& job) {
  const bool sandboxed = job.isolation == supervisor::Isolation::sandbox;
  if (!sandboxed && kernel::image_of(spec.toolchain)) {
    const std::string search = programs::variable(programs::own_environment(), "PATH", "/usr/bin:/bin");
    const std::string apptainer = programs::find_on_path("apptainer", search);
    // Without it, the start fails by this name.
    ApptainerCommand command =
        run_in_apptainer(spec, places, contained, arguments, environment, apptainer.empty() ? "apptainer" : apptainer);
    arguments = std::move(command.arguments);
    environment = std::move(command.environment);
  }
  if (!sandboxed) environment[token_name] = spec.token.text();
  job.environment = programs::assignments(environment);
  job.arguments = std::move(arguments);
}

}  // namespace

JobLauncher::Walls JobLauncher::walls_for(const kernel::JobSpec& spec) {
  if (spec.resources.sandbox == kernel::SandboxMode::none) return {};
  if (!probe_) probe_ = probe_sandbox(programs::own_environment()["PATH"] + ":/usr/bin:/bin");
  if (probe_->works) return {};
  if (spec.resources.sandbox == kernel::SandboxMode::required)
    return {Unlaunched{{ReasonCode::no_sandbox, {{"problem", probe_->why}, {"remedy", probe_->remedy}}}}};
  Walls walls;
  walls.confined.emplace(spec).resources.sandbox = kernel::SandboxMode::none;
  return walls;
}

std::optional<Unlaunched> JobLauncher::write(const kernel::JobSpec& spec, const std::vector<Gpu>& gpus, bool confined,
                                             bool elsewhere) {
  try {
    supervisor::Job job = make_job(spec, probe_ ? probe_->bwrap : "", gpus, confined, elsewhere);
    auto refused = write_run_folder(spec, job);
    if (no_room_at(spec.folder)) return Unlaunched{{ReasonCode::disk_full}, true};
    if (refused) return Unlaunched{std::move(*refused)};
  } catch (const std::invalid_argument& e) {
    return Unlaunched{{ReasonCode::command_not_formed, {{"problem", std::string(e.what())}}}};
  }
  return std::nullopt;
}

std::optional<Unlaunched> JobLauncher::write_elsewhere(const kernel::JobSpec& spec) {
  Walls walls = walls_for(spec);
  if (walls.none) return std::move(walls.none);
  return write(walls.confined ? *walls.confined : spec, {}, walls.confined.has_value(), true);
}

std::variant<Launch, Unlaunched> JobLauncher::launch(const kernel::JobSpec& asked,
                                                     std::vector<HeldSupervisor>& waiting) {
  Walls walls = walls_for(asked);
  if (walls.none) return std::move(*walls.none);
  const kernel::JobSpec& spec = walls.confined ? *walls.confined : asked;
  const auto gpus = spec.gpus.empty() ? kernel::Result(std::vector<Gpu>()) : leased_gpus(spec.gpus, nvml());
  if (!gpus) {
    const kernel::Problem& problem = gpus.problem();
    return Unlaunched{
        {ReasonCode::devices_refused, {{"devices", problem.what}, {"problem", problem.why}, {"remedy", problem.todo}}}};
  }
  if (auto none = write(spec, *gpus, walls.confined.has_value(), false)) return std::move(*none);
  std::optional<GpuMeter> meter;
  if (!gpus->empty() && !meter.emplace(nvml(), spec.folder).begin(*gpus, spec.resources.gpu_share.has_value()))
    return Unlaunched{kernel::as_said(supervisor::error_text(errno))};
  // Jobs without a sandbox must not run among the device mounts that root's sandboxes share.
  const bool sealed = spec.resources.sandbox != kernel::SandboxMode::none && geteuid() == 0;
  const int changes = sealed ? changes_of_mounts() : 0;
  std::variant<Launch, Unlaunched> launched = Launch();
  Launch& reused = std::get<Launch>(launched);
  while (!reused.reused) {
    const auto suitable = std::ranges::find_if(
        waiting, [&](const HeldSupervisor& held) { return sealed ? held.sealed == changes : !held.sealed; });
    if (suitable == waiting.end()) break;
    reused.held = std::move(*suitable);
    waiting.erase(suitable);
    reused.reused = supervisor::send_message(reused.held.line.get(), spec.folder, -1, MSG_DONTWAIT);
  }
  if (!reused.reused) launched = begin(spec.folder, sealed);
  if (Launch* launch = std::get_if<Launch>(&launched)) launch->gpus = std::move(meter);
  return launched;
}

std::variant<Launch, Unlaunched> JobLauncher::begin(const std::string& folder, bool sealed) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Unlaunched{kernel::as_said(supervisor::error_text(errno))};
  Launch launch;
  if (sealed) launch.held.sealed = changes_of_mounts();
  launch.held.line.reset(ends[0]);
  const Fd theirs(ends[1]);
  auto started = (sealed ? sealed_resident_ : resident_).start(folder, theirs.get());
  if (!started) started = Resident::start_alone(supervisor_, folder, theirs.get());
  if (started->error != 0)
    return Unlaunched{{ReasonCode::program_not_started,
                       {{"program", supervisor_}, {"error", supervisor::error_text(started->error)}}}};
  launch.held.pidfd = std::move(started->pidfd);
  launch.child = started->child;
  return launch;
}

int JobLauncher::changes_of_mounts() {
  if (!mounts_) mounts_.reset(open("/proc/thread-self/mounts", O_RDONLY | O_CLOEXEC));
  pollfd changed{mounts_.get(), POLLPRI, 0};
  // Without the file no supervisor counts as sealed after all changes.
  if (!mounts_ || poll(&changed, 1, 0) != 0) ++changes_;
  return changes_;
}

const Nvml& JobLauncher::nvml() {
  if (!nvml_) nvml_ = std::make_unique<Nvml>();
  return *nvml_;
}

supervisor::Job JobLauncher::make_job(const kernel::JobSpec& spec, const std::string& bwrap,
                                      const std::vector<Gpu>& gpus, bool confined, bool elsewhere) {
  const bool sandboxed = spec.resources.sandbox != kernel::SandboxMode::none;
  const std::map<std::string, std::string> own = programs::own_environment();
  const std::string run = spec.folder + "/";
  supervisor::Job job;
  job.token = spec.token.text();
  job.workspace = spec.workspace;
  job.directory = run + supervisor::work_folder;
  if (!spec.in_place.empty()) {
    job.workspace.clear();
    job.directory = spec.in_place;
  }
  job.checkpoint = spec.checkpoint.empty() ? run + supervisor::checkpoint_folder : spec.checkpoint;
  job.powercap = programs::variable(own, "ETUDE_POWERCAP", supervisor::powercap_folder);
  job.vmstat = programs::variable(own, "ETUDE_VMSTAT");
  job.isolation = sandboxed ? supervisor::Isolation::sandbox : supervisor::Isolation::pid_namespace;
  // A confined job may not read the person's home.
  const std::string home = confined ? "" : programs::variable(own, "HOME");
  const JobPlaces places = sandboxed ? places_inside(spec) : places_outside(spec, job.checkpoint, home);
  job.elsewhere = elsewhere ? 1 : 0;
  const int port = ports_.port_for(spec, elsewhere);
  std::map<std::string, std::string> environment = job_environment(spec, places, own);
  if (!gpus.empty()) environment["CUDA_VISIBLE_DEVICES"] = visible_devices(gpus);
  if (port > 0 && spec.gpus.size() > 1) add_rendezvous(port, environment);
  if (spec.resources.gpu_share && gpus.size() == 1)
    add_share(spec, gpus[0].memory_bytes, sandboxed || confined ? "" : mps_folder(own), environment);
  if (sandboxed) {
    job.bwrap = bwrap;
    SandboxPlan plan = plan_sandbox(spec, elsewhere ? system_elsewhere_ : system_, job.checkpoint, gpu_nodes(gpus));
    job.bwrap_arguments = std::move(plan.arguments);
    job.files = std::move(plan.files);
  }
  // Landlock would keep Apptainer from making its namespaces.
  if (confined && !kernel::image_of(spec.toolchain)) {
    AllowedPaths allowed = allowed_paths(spec, job.checkpoint, gpu_nodes(gpus));
    job.may_read = std::move(allowed.read);
    job.may_write = std::move(allowed.write);
  }
  if (confined) job.offline = spec.resources.network ? 0 : 1;
  set_command(spec, places, confined, std::move(environment),
              kernel::substitute(spec.command, placeholder_values(spec, places, port)), job);
  if (spec.resources.timeout_s)
    job.timeout_ms = std::max<std::int64_t>(1, std::llround(*spec.resources.timeout_s * 1000));
  job.memory_bytes = spec.resources.memory_bytes.value_or(0);
  job.disk_bytes = spec.resources.disk_bytes.value_or(0);
  job.processes = most_processes(cores_);
  if (spec.evaluation) job.evaluation.push_back(make_evaluation(spec, job, places, gpus, port, confined));
  return job;
}

/// The same limits and programs as the job, and nothing else of it.
supervisor::Job JobLauncher::make_evaluation(const kernel::JobSpec& spec, const supervisor::Job& job,
                                             const JobPlaces& of_job, const std::vector<Gpu>& gpus, int port,
                                             bool confined) {
  const JobPlaces places = evaluator_places(spec, of_job);
  kernel::JobSpec own = spec;
  own.command = spec.evaluation->command;
  own.resources.network = false;
  supervisor::Job evaluation = job;
  evaluation.checkpoint.clear();
  evaluation.powercap.clear();
  evaluation.directory = places.work;
  if (!spec.evaluation->workspace.empty()) evaluation.workspace = spec.evaluation->workspace;
  std::map<std::string, std::string> environment = evaluator_environment(own, places, programs::own_environment());
  if (!gpus.empty()) environment["CUDA_VISIBLE_DEVICES"] = visible_devices(gpus);
  if (job.isolation == supervisor::Isolation::sandbox) {
    SandboxPlan plan = plan_evaluation(own, job.elsewhere != 0 ? system_elsewhere_ : system_, gpu_nodes(gpus));
    evaluation.bwrap_arguments = std::move(plan.arguments);
    evaluation.files = std::move(plan.files);
  } else {
    for (const kernel::DataMount& data : spec.evaluation->data) evaluation.links.emplace_back(data.name, data.path);
  }
  set_command(own, places, confined, std::move(environment),
              kernel::substitute(own.command, placeholder_values(own, places, port)), evaluation);
  return evaluation;
}

std::string supervisor_beside_us() {
  return programs::parent_of(programs::real_path("/proc/self/exe")) + "/etude-supervisor";
}

}  // namespace executors

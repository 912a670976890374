#include "executors/slurm/slurm_backend.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/remove_tree.h"
#include "executors/local/adoption.h"
#include "executors/local/launch_job.h"
#include "executors/local/local_backend.h"
#include "executors/local/run_folder.h"
#include "executors/run_protocol/run_files.h"
#include "executors/slurm/shared_folder.h"
#include "executors/slurm/slurm_client.h"
#include "executors/slurm/slurm_executor.h"
#include "executors/slurm/slurm_launch.h"
#include "executors/slurm/slurm_probe.h"
#include "programs/find_program.h"

namespace executors {
namespace {

/// Runs at once if neither the configuration nor the controller says how many.
constexpr int usual_jobs = 64;

class SlurmBackend : public Backend {
 public:
  SlurmBackend(config::ExecutorSettings settings, std::string supervisor)
      : settings_(std::move(settings)),
        supervisor_(supervisor.empty() ? supervisor_beside_us() : std::move(supervisor)),
        local_(local_backend()) {}

  std::string name() const override { return "slurm"; }

  std::optional<kernel::Problem> open_for(const std::string& home) const override {
    if (auto problem = no_shared_folder()) return problem;
    if (auto problem = launches_of_another(home)) return problem;
    const std::string own = shared_home(settings_.shared, home);
    std::error_code error;
    if (!std::filesystem::exists(own, error) && ::mkdir(own.c_str(), 0700) != 0 && errno != EEXIST)
      return not_written(settings_.shared, errno);
    remove_stale_copies(settings_.shared, home);
    remove_old_probes(own);
    const auto supervisor = publish_program(supervisor_, own);
    if (!supervisor) return supervisor.problem();
    const auto facts = look_at_cluster(settings_);
    if (!facts) return facts.problem();
    const std::lock_guard lock(mutex_);
    cpus_ = facts->cpus;
    published_ = *supervisor;
    return std::nullopt;
  }

  std::optional<kernel::Problem> launches_of_another(const std::string& home) const override {
    if (launch_with(home, supervisor::job_file).empty()) return std::nullopt;
    return problem_of(home, "jobs of it run on this machine", "say --executor local");
  }
  std::string shared_folder() const override { return settings_.shared; }
  std::vector<Elsewhere> elsewhere(const std::string& home) const override {
    return settings_.shared.empty() ? std::vector<Elsewhere>() : things_of_home(settings_.shared, home);
  }

  std::unique_ptr<kernel::Executor> executor(kernel::JobListener listener) const override {
    SlurmPlace place;
    place.shared = settings_.shared;
    place.array = static_cast<std::size_t>(settings_.array);
    if (settings_.time_s) place.minutes = static_cast<std::int64_t>(std::ceil(*settings_.time_s / 60));
    place.memory_bytes = settings_.memory_bytes.value_or(0);
    return std::make_unique<SlurmExecutor>(std::move(listener), slurm_programs(settings_, published()), place);
  }

  Harvest harvest(const std::string& run_folder) const override { return Harvest(place_of(run_folder)); }

  bool is_supervised(const std::string& run_folder) const override {
    const std::string at = place_of(run_folder);
    if (executors::is_supervised(at)) return true;
    // A submitted launch that nothing has claimed may still start.
    std::error_code error;
    return read_note(run_folder) && !std::filesystem::exists(at + "/" + supervisor::claim_file, error);
  }

  bool end_stray(const std::string& run_folder) const override {
    const std::string at = place_of(run_folder);
    std::error_code error;
    // The other jobs of its submission go on.
    if (const auto note = read_note(run_folder);
        note && !std::filesystem::exists(at + "/" + supervisor::outcome_file, error))
      cancel_job(note->submission, note->index);
    return executors::end_stray(at);
  }

  void remove(const std::string& run_folder) const override {
    remove_run_folder(place_of(run_folder));
    remove_run_folder(run_folder);
  }

  kernel::Machine machine() const override {
    kernel::Machine machine{cores(), 0, {}, {}};
    machine.has_nodes = true;
    for (int i = 0; i < settings_.gpus; ++i) machine.gpus.push_back({fmt::format("slurm:{}", i), 0, false, "", true});
    return machine;
  }
  int cores() const override {
    const std::lock_guard lock(mutex_);
    return settings_.jobs > 0 ? settings_.jobs : cpus_ > 0 ? cpus_ : usual_jobs;
  }
  std::map<std::string, std::string> machine_facts() const override { return local_->machine_facts(); }

  kernel::Result<kernel::EnvironmentRecord> resolve(const EnvironmentQuery& query,
                                                    const Variables& own) const override {
    return local_->resolve(query, own);
  }
  NodesAnswer ask_nodes(const std::string& home, const NodeNeeds& needs) const override {
    return probe_nodes(settings_, home, needs);
  }
  std::vector<kernel::Problem> missing_programs(const EnvironmentQuery& query, const Variables& own) const override {
    return local_->missing_programs(query, own);
  }
  std::optional<kernel::ProgramRecord> named_environment(const EnvironmentQuery& query,
                                                         const Variables& own) const override {
    return local_->named_environment(query, own);
  }
  SandboxProbe probe_sandbox(const Variables& own) const override { return local_->probe_sandbox(own); }

  std::vector<MachineCheck> checks(const Variables& own) const override {
    std::vector<MachineCheck> checks = local_->checks(own);
    MachineCheck check{"slurm", Health::ok, "", ""};
    const auto shared = no_shared_folder();
    const auto facts = look_at_cluster(settings_);
    if (shared || !facts) {
      const kernel::Problem& problem = shared ? *shared : facts.problem();
      check = {"slurm", Health::missing, problem.what + ": " + problem.why, problem.todo};
    } else if (!facts->answers) {
      check = {"slurm", Health::warn, "the controller does not answer", "jobs wait until it does"};
    } else {
      check.detail =
          fmt::format("{} processors{}{}, shared folder {}", facts->cpus,
                      settings_.partition.empty() ? "" : " in partition ", settings_.partition, settings_.shared);
    }
    checks.push_back(std::move(check));
    return checks;
  }

 private:
  kernel::Problem problem_of(std::string what, std::string why, std::string todo) const {
    return {settings_.file, 0, std::move(what), std::move(why), std::move(todo), true};
  }
  std::optional<kernel::Problem> no_shared_folder() const {
    if (settings_.shared.empty())
      return problem_of(
          "executor slurm", "the configuration names no shared folder",
          "say `executors: {slurm: {shared: FOLDER}}`, a folder that every node sees under the same path");
    if (!programs::is_folder(settings_.shared))
      return problem_of("executor.shared", "there is no folder " + settings_.shared,
                        "name one that this machine and every node see under the same path");
    return std::nullopt;
  }
  std::string place_of(const std::string& run_folder) const { return shared_place(settings_.shared, run_folder); }
  std::string published() const {
    const std::lock_guard lock(mutex_);
    return published_.empty() ? supervisor_ : published_;
  }

  const config::ExecutorSettings settings_;
  const std::string supervisor_;
  const std::unique_ptr<Backend> local_;
  mutable std::mutex mutex_;  ///< Guards what `open_for` found.
  mutable int cpus_ = 0;
  mutable std::string published_;
};

}  // namespace

std::unique_ptr<Backend> slurm_backend(config::ExecutorSettings settings, std::string supervisor) {
  return std::make_unique<SlurmBackend>(std::move(settings), std::move(supervisor));
}

}  // namespace executors

#include "tests/executors/fixture.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <catch2/catch.hpp>
#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/backend/harvest.h"
#include "executors/local/local_executor.h"
#include "executors/run_protocol/run_files.h"
#include "executors/sandbox/sandbox.h"
#include "programs/run_program.h"
#include "tests/places.h"

namespace test {
namespace {

/// So long that only a test that has failed waits for it.
constexpr std::chrono::minutes patience{4};
const std::string supervisor_program = tests::build_dir() + "/etude-supervisor";

}  // namespace

Folder::Folder() {
  char name[] = "/tmp/etude-test-XXXXXX";
  path_ = mkdtemp(name);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

void run_to_end(const std::vector<std::string>& argv) {
  const auto ran = programs::run_program(
      {.argv = argv, .environment = {{"PATH", "/usr/bin:/bin"}}, .limit = std::chrono::seconds(240)});
  INFO(argv[0] << ": " << (ran ? ran->err : "") << programs::why_no_exit(ran));
  REQUIRE(ran);
  REQUIRE(ran->exit == 0);
}

bool eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

int processes_with(const std::string& word) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || name == std::to_string(getpid())) continue;
    if (read(entry.path() / "cmdline").find(word) != std::string::npos) ++count;
  }
  return count;
}

std::string unique_word() {
  static int counter = 0;
  return "7" + std::to_string(getpid()) + std::to_string(++counter);
}

bool has_sandbox() {
  static const executors::SandboxProbe probe = executors::probe_sandbox("/usr/local/bin:/usr/bin:/bin");
  if (!probe.works) WARN("skipped, no sandbox on this machine: " << probe.why << ": " << probe.remedy);
  return probe.works;
}

Bench::Bench()
    : Bench([](kernel::JobListener listener) {
        return std::make_unique<executors::LocalExecutor>(std::move(listener), supervisor_program);
      }) {}
Bench::Bench(Maker make) : make_(std::move(make)) {
  replace_executor();
}
Bench::~Bench() = default;

void Bench::replace_executor() {
  executor_.reset();
  kernel::JobListener listener;
  listener.started = [this](kernel::JobStarted s) {
    const std::lock_guard lock(mutex_);
    started_[s.run] = s;
    changed_.notify_all();
  };
  listener.ended = [this](kernel::JobOutcome o) {
    const std::lock_guard lock(mutex_);
    ended_.emplace(o.run, o);
    changed_.notify_all();
  };
  listener.freed = [this](const std::string& launch) {
    const std::lock_guard lock(mutex_);
    freed_.insert(launch);
  };
  listener.waits = [this](const std::string& why) {
    const std::lock_guard lock(mutex_);
    waits_.push_back(why);
  };
  listener.held = [this](kernel::Reason why) {
    const std::lock_guard lock(mutex_);
    held_.push_back(std::move(why));
  };
  executor_ = make_(listener);
}

kernel::JobSpec Bench::job(const std::string& run, const std::string& shell_command) const {
  kernel::JobSpec spec;
  spec.run = run;
  spec.token = kernel::LaunchToken("token-" + run);
  spec.folder = folder_ / ("home/runs/" + run);
  spec.workspace = folder_ / "workspace";
  std::filesystem::create_directories(spec.workspace);
  spec.command = {true, {shell_command}};
  spec.params_json = "{}";
  spec.toolchain.path = {"/usr/local/bin", "/usr/bin", "/bin"};
  return spec;
}

kernel::JobOutcome Bench::outcome(const std::string& run) {
  std::unique_lock lock(mutex_);
  const bool there = changed_.wait_for(lock, patience, [&] { return ended_.contains(run); });
  INFO("run " << run);
  REQUIRE(there);
  const auto found = ended_.find(run);
  kernel::JobOutcome outcome = found->second;
  ended_.erase(found);
  INFO("reason: " << newest_words(outcome.reason));
  return outcome;
}

kernel::JobStarted Bench::started(const std::string& run) {
  std::unique_lock lock(mutex_);
  const bool there = changed_.wait_for(lock, patience, [&] { return started_.contains(run); });
  INFO("run " << run);
  REQUIRE(there);
  return started_.at(run);
}

bool Bench::has_started(const std::string& run) {
  const std::lock_guard lock(mutex_);
  return started_.contains(run);
}

bool Bench::has_ended(const std::string& run) {
  const std::lock_guard lock(mutex_);
  return ended_.contains(run);
}

std::vector<kernel::Reason> Bench::held() {
  const std::lock_guard lock(mutex_);
  return held_;
}

std::vector<std::string> Bench::waits() {
  const std::lock_guard lock(mutex_);
  return waits_;
}

bool Bench::has_freed(const std::string& launch) {
  const std::lock_guard lock(mutex_);
  return freed_.contains(launch);
}

kernel::JobOutcome Bench::run(const std::string& name, const std::string& shell_command) {
  return run(job(name, shell_command));
}

kernel::JobOutcome Bench::run(const kernel::JobSpec& spec) {
  start(spec);
  return outcome(spec.run);
}

kernel::JobOutcome Bench::timed_out(kernel::JobSpec spec,
                                    const std::function<bool(const kernel::JobOutcome&)>& far_enough) {
  for (double seconds = 0.5;; seconds *= 2) {
    spec.resources.timeout_s = seconds;
    const kernel::JobOutcome outcome = run(spec);
    if (far_enough(outcome) || seconds > 60) return outcome;
    std::filesystem::remove_all(spec.folder);
  }
}

std::string output_of(const kernel::JobSpec& spec) {
  return executors::Harvest(spec.folder).log(executors::OutputStream::out);
}

std::string errors_of(const kernel::JobSpec& spec) {
  return executors::Harvest(spec.folder).log(executors::OutputStream::err);
}

std::string job_text(const std::vector<std::pair<std::string, std::string>>& keys) {
  std::string text(supervisor::job_magic);
  text += '\0';
  for (const auto& [key, value] : keys) text.append(key + '\0').append(value + '\0');
  return text;
}

int spawn_supervisor(const std::string& folder) {
  const std::vector<std::string> argv{supervisor_program, folder};
  pid_t pid = -1;
  REQUIRE(posix_spawn(&pid, argv[0].c_str(), nullptr, nullptr, programs::c_strings(argv).data(),
                      programs::c_strings({}).data()) == 0);
  return pid;
}

int wait_for(int pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int supervise(const std::string& folder) {
  return wait_for(spawn_supervisor(folder));
}

}  // namespace test

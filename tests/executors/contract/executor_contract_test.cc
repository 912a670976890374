// What the kernel relies on, of every executor: one suite, with this machine, a cluster that a test plays, and a real
// Slurm, which is skipped by name where its programs are missing.

#include <filesystem>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/local/local_executor.h"
#include "executors/slurm/shared_folder.h"
#include "executors/slurm/slurm_executor.h"
#include "programs/run_program.h"
#include "tests/executors/fixture.h"
#include "tests/executors/slurm/fake_cluster.h"
#include "tests/places.h"

using kernel::JobEnd;
using kernel::JobSpec;

namespace {

const std::string supervisor_program = tests::build_dir() + "/etude-supervisor";

/// tests/e2e/support/slurm_cluster.py, once for all tests of this program. It ends with this process.
class RealSlurm {
 public:
  /// None, with a word of why, if there are no programs of Slurm here.
  static const RealSlurm* only() {
    static const RealSlurm cluster;
    if (!cluster.why_.empty()) WARN("skipped, " << cluster.why_);
    return cluster.why_.empty() ? &cluster : nullptr;
  }

 private:
  RealSlurm() {
    int in[2], out[2];
    REQUIRE(pipe2(in, O_CLOEXEC) == 0);
    REQUIRE(pipe2(out, O_CLOEXEC) == 0);
    const std::vector<std::string> argv{"/usr/bin/python3", tests::source_dir() + "/tests/e2e/support/slurm_cluster.py",
                                        folder_ / "cluster"};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], 0);
    posix_spawn_file_actions_adddup2(&files, out[1], 1);
    posix_spawn_file_actions_adddup2(&files, out[1], 2);
    const std::vector<std::string> environment = programs::assignments(programs::own_environment());
    REQUIRE(posix_spawn(&pid_, argv[0].c_str(), &files, nullptr, programs::c_strings(argv).data(),
                        programs::c_strings(environment).data()) == 0);
    posix_spawn_file_actions_destroy(&files);
    close(in[0]), close(out[1]);
    end_ = in[1];
    std::string said;
    char buffer[512];
    for (ssize_t n; said.find('\n') == said.npos && (n = read(out[0], buffer, sizeof buffer)) > 0;)
      said.append(buffer, static_cast<std::size_t>(n));
    constexpr std::string_view word = "export SLURM_CONF=";
    if (!said.starts_with(word)) {
      why_ = said.substr(0, said.find('\n'));
      return;
    }
    setenv("SLURM_CONF", said.substr(word.size(), said.find('\n') - word.size()).c_str(), 1);
  }
  ~RealSlurm() {
    close(end_);
    waitpid(pid_, nullptr, 0);
  }

  test::Folder folder_;
  int pid_ = 0, end_ = -1;
  std::string why_;
};

/// Much faster than for a real cluster of others.
constexpr executors::SlurmPace quick{.listing = 100, .longest = 400, .look = 20, .gather = 5, .settle = 100};

/// One of the executors, with a home and jobs in it.
class Place {
 public:
  explicit Place(const std::string& name) {
    if (name == "slurm" && !RealSlurm::only()) return;
    std::filesystem::create_directory(shared());
    if (name == "fake") cluster_ = std::make_shared<test::FakeCluster>(folder_.path());
    if (name == "slurm") cluster_ = executors::slurm_programs({}, supervisor_program);
    bench_ = std::make_unique<test::Bench>([this](kernel::JobListener listener) {
      return cluster_ ? std::unique_ptr<kernel::Executor>(std::make_unique<executors::SlurmExecutor>(
                            std::move(listener), cluster_, executors::SlurmPlace{.shared = shared()}, quick))
                      : std::make_unique<executors::LocalExecutor>(std::move(listener), supervisor_program);
    });
  }
  explicit operator bool() const { return bench_ != nullptr; }
  test::Bench* operator->() { return bench_.get(); }

  JobSpec job(const std::string& run, const std::string& command) const {
    JobSpec spec = bench_->job(run, command);
    spec.folder = folder_ / ("home/runs/s1/" + run);
    spec.checkpoint = folder_ / ("home/runs/s1/checkpoint-" + run);
    spec.workspace = folder_ / "home/workspaces/code";
    spec.resources.sandbox = kernel::SandboxMode::none;
    test::write(spec.workspace + "/given", "given\n");
    return spec;
  }
  /// Where its files are.
  std::string at(const JobSpec& spec) const {
    return cluster_ ? executors::shared_place(shared(), spec.folder) : spec.folder;
  }
  std::string checkpoint(const JobSpec& spec) const {
    return cluster_ ? executors::shared_place(shared(), spec.checkpoint) : spec.checkpoint;
  }
  std::string output(const JobSpec& spec) const {
    return executors::Harvest(at(spec)).log(executors::OutputStream::out);
  }

 private:
  std::string shared() const { return folder_ / "shared"; }
  test::Folder folder_;
  std::shared_ptr<executors::SlurmClient> cluster_;
  std::unique_ptr<test::Bench> bench_;
};

constexpr const char* waits_for_go = "until test -e $ETUDE_CHECKPOINT/go; do sleep 0.02; done; ";

}  // namespace

TEST_CASE("every executor: a job runs once and its end is reported with what it left") {
  Place place(GENERATE("local", "fake", "slurm"));
  if (!place) return;
  const auto job = place.job("r1", "cat given; echo $ETUDE_SEED; env | grep -c -E '^(SLURM|SBATCH)'; exit 5");
  place->start(job);
  const auto outcome = place->outcome("r1");
  CHECK(outcome.end == JobEnd::exited);
  CHECK(outcome.exit == 5);
  CHECK(outcome.token == job.token);
  CHECK(place->has_started("r1"));
  CHECK(place.output(job) == "given\n0\n0\n");
  CHECK(outcome.usage.wall_s > 0);
}

TEST_CASE("every executor: a job finds the files of the run that it continues, and other jobs no such folder") {
  Place place(GENERATE("local", "fake", "slurm"));
  if (!place) return;
  JobSpec job = place.job("r1", "cat $ETUDE_CONTINUE/state/last.txt; cd $ETUDE_CONTINUE && find -L . -type f | sort");
  const std::string kept = std::filesystem::path(job.folder).parent_path().parent_path().parent_path() / "kept/";
  test::write(kept + "1234/state/last.txt", "step 3\n");
  test::write(kept + "5678/net.pt", "weights\n");
  job.continued = {{"state", kept + "1234/state", ""}, {"nets/net.pt", kept + "5678/net.pt", ""}};
  job.leaves_files = true;
  place->start(job);
  const auto outcome = place->outcome("r1");
  CHECK(outcome.exit == 0);
  CHECK(outcome.leaves_files);
  CHECK(place.output(job) == "step 3\n./nets/net.pt\n./state/last.txt\n");
  const JobSpec other = place.job("r2", "printenv ETUDE_CONTINUE || echo none");
  place->start(other);
  CHECK_FALSE(place->outcome("r2").leaves_files);
  CHECK(place.output(other) == "none\n");
}

TEST_CASE("every executor: jobs of one shape run side by side, each in its own folder") {
  Place place(GENERATE("local", "fake", "slurm"));
  if (!place) return;
  std::vector<JobSpec> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(place.job("r" + std::to_string(i), "echo " + std::to_string(i)));
  for (const JobSpec& job : jobs) place->start(job);
  for (int i = 0; i < 5; ++i) {
    const auto outcome = place->outcome("r" + std::to_string(i));
    INFO(kernel::newest_words(outcome.reason));
    CHECK(outcome.end == JobEnd::exited);
    CHECK(outcome.exit == 0);
    CHECK(place.output(jobs[static_cast<std::size_t>(i)]) == std::to_string(i) + "\n");
  }
}

TEST_CASE("every executor: a limit of the job holds, and the reason is the same") {
  Place place(GENERATE("local", "fake", "slurm"));
  if (!place) return;
  auto job = place.job("r1", "sleep 60");
  job.resources.timeout_s = 0.3;
  place->start(job);
  const auto outcome = place->outcome("r1");
  CHECK(outcome.end == JobEnd::timed_out);
  CHECK(outcome.reason.code == kernel::ReasonCode::job_timed_out);
}

TEST_CASE("every executor: a command that does not exist fails to start, and says so") {
  Place place(GENERATE("local", "fake", "slurm"));
  if (!place) return;
  auto job = place.job("r1", "");
  job.command = {false, {"no-such-interpreter", "job.py"}};
  place->start(job);
  const auto outcome = place->outcome("r1");
  CHECK(outcome.end == JobEnd::failed_to_start);
  CHECK(kernel::newest_words(outcome.reason).find("no-such-interpreter") != std::string::npos);
}

TEST_CASE("every executor: a running job is cancelled with all its processes") {
  Place place(GENERATE("local", "fake", "slurm"));
  if (!place) return;
  const std::string word = test::unique_word();
  const auto job = place.job("r1", "sh -c 'sleep " + word + "' & sleep " + word);
  place->start(job);
  place->started("r1");
  REQUIRE(
      test::eventually([&] { return test::processes_with("sleep " + word) > 0 || test::processes_with(word) > 1; }));
  place->cancel("r1");
  place->cancel("r1");
  const auto outcome = place->outcome("r1");
  CHECK(outcome.end == JobEnd::cancelled);
  CHECK(test::eventually([&] { return test::processes_with(word) == 0; }));
}

TEST_CASE("every executor: a job that goes on after its kernel is adopted by the next one") {
  Place place(GENERATE("local", "fake", "slurm"));
  if (!place) return;
  const auto job = place.job("r1", std::string(waits_for_go) + "echo survived; exit 3");
  place->start(job);
  place->started("r1");
  place->replace_executor();
  place->adopt(job);
  test::write(place.checkpoint(job) + "/go", "");
  const auto outcome = place->outcome("r1");
  CHECK(outcome.end == JobEnd::exited);
  CHECK(outcome.exit == 3);
  CHECK(place.output(job) == "survived\n");
}

TEST_CASE("every executor: a job that ended while there was no kernel is collected, as often as it is asked for") {
  Place place(GENERATE("local", "fake", "slurm"));
  if (!place) return;
  const auto job = place.job("r1", "exit 4");
  place->start(job);
  REQUIRE(test::eventually([&] { return test::exists(place.at(job) + "/outcome"); }));
  place->replace_executor();
  for (int i = 0; i < 2; ++i) {
    place->adopt(job);
    CHECK(place->outcome("r1").exit == 4);
  }
}

TEST_CASE("every executor: a launch that was never started is voided, and nothing starts it later") {
  Place place(GENERATE("local", "fake", "slurm"));
  if (!place) return;
  const auto job = place.job("r1", "touch $ETUDE_CHECKPOINT/ran");
  place->adopt(job);
  CHECK(place->outcome("r1").end == JobEnd::voided);
  std::filesystem::create_directories(place.at(job));
  place->adopt(job);
  CHECK(place->outcome("r1").end == JobEnd::voided);
  CHECK(test::supervise(place.at(job)) != 0);
  CHECK_FALSE(test::exists(place.checkpoint(job) + "/ran"));
}

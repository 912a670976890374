#include <filesystem>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/local/local_executor.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/run_files.h"
#include "programs/run_program.h"
#include "tests/executors/fixture.h"
#include "tests/places.h"

using kernel::JobEnd;
using test::Bench;
using test::has_sandbox;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Another process starts the job through an executor of its own, hears that it runs, and dies by SIGKILL.
void start_and_die(const kernel::JobSpec& spec) {
  const std::vector<std::string> argv{"/proc/self/exe", "a kernel that starts one job and dies"};
  const std::vector<std::string> environment{
      "PATH=/usr/bin:/bin",
      "JOB_RUN=" + spec.run,
      "JOB_FOLDER=" + spec.folder,
      "JOB_WORKSPACE=" + spec.workspace,
      "JOB_COMMAND=" + spec.command.words[0],
      "JOB_TIMEOUT=" + std::to_string(spec.resources.timeout_s.value_or(0)),
      std::string("JOB_SANDBOX=") + (spec.resources.sandbox == kernel::SandboxMode::none ? "none" : "auto")};
  pid_t pid = -1;
  REQUIRE(posix_spawn(&pid, argv[0].c_str(), nullptr, nullptr, programs::c_strings(argv).data(),
                      programs::c_strings(environment).data()) == 0);
  REQUIRE(test::wait_for(pid) == 128 + SIGKILL);
}

int supervisor_of(const kernel::JobSpec& spec) {
  const std::string text = test::read(spec.folder + "/claim");
  const std::size_t at = text.find("pid=");
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 4);
}

/// Writes the claim of a supervisor that lives: this process stands for it.
void claim_alive(const kernel::JobSpec& spec, const std::string& more = "") {
  test::write(spec.folder + "/claim", spec.token.text() + "\npid=" + std::to_string(getpid()) +
                                          "\nstart=" + std::to_string(supervisor::start_time(getpid())) +
                                          "\nboot=" + supervisor::boot_id() + "\n" + more);
}

/// Returns when the executor has looked twice at each job that was adopted before: it looks at them in this order.
void until_looked_twice(Bench& bench) {
  const auto once = bench.job("once", "true"), twice = bench.job("twice", "true");
  for (const auto& job : {twice, once}) {
    claim_alive(job);
    if (job.run == "once")
      test::write(job.folder + "/outcome", "etude-outcome 1\ntoken=" + job.token + "\nend=exited\n");
    bench.adopt(job);
  }
  bench.outcome("once");
  test::write(twice.folder + "/outcome", "etude-outcome 1\ntoken=" + twice.token + "\nend=exited\n");
  bench.outcome("twice");
}

bool running(const kernel::JobSpec& spec) {
  return kill(supervisor_of(spec), 0) == 0;
}

}  // namespace

/// Not a test: what `start_and_die` executes.
TEST_CASE("a kernel that starts one job and dies", "[.]") {
  kernel::JobListener listener;
  listener.started = [](kernel::JobStarted) { kill(getpid(), SIGKILL); };
  listener.ended = [](kernel::JobOutcome) { kill(getpid(), SIGKILL); };
  executors::LocalExecutor executor(listener, tests::build_dir() + "/etude-supervisor");
  kernel::JobSpec spec;
  spec.run = variable("JOB_RUN");
  spec.token = kernel::LaunchToken("token-" + spec.run);
  spec.folder = variable("JOB_FOLDER");
  spec.workspace = variable("JOB_WORKSPACE");
  spec.command = {true, {variable("JOB_COMMAND")}};
  if (const double timeout = std::stod(variable("JOB_TIMEOUT")); timeout > 0) spec.resources.timeout_s = timeout;
  if (variable("JOB_SANDBOX") == "none") spec.resources.sandbox = kernel::SandboxMode::none;
  executor.start(spec);
  for (;;) pause();
}

TEST_CASE("a kernel killed while its job runs leaves the job alone, and the next one watches it to its end") {
  Bench bench;
  for (const bool sandboxed : {true, false}) {
    if (sandboxed && !has_sandbox()) continue;
    auto job = bench.job(sandboxed ? "inside" : "outside",
                         "until test -e $ETUDE_CHECKPOINT/go; do sleep 0.05; done; echo survived; exit 5");
    if (!sandboxed) job.resources.sandbox = kernel::SandboxMode::none;
    start_and_die(job);
    CHECK(running(job));
    bench.adopt(job);
    CHECK(bench.started(job.run).started_ms > 0);
    test::write(job.folder + "/checkpoint/go", "");
    const auto outcome = bench.outcome(job.run);
    CHECK(outcome.end == JobEnd::exited);
    CHECK(outcome.exit == 5);
    CHECK(test::output_of(job) == "survived\n");
  }
}

TEST_CASE("a job that ended while no kernel was there is collected, once for each time it is asked for") {
  if (!has_sandbox()) return;
  Bench bench;
  const auto job = bench.job("r1", "echo hello; exit 4");
  start_and_die(job);
  REQUIRE(test::eventually([&] { return test::exists(job.folder + "/outcome"); }));
  for (int i = 0; i < 2; ++i) {
    bench.adopt(job);
    const auto outcome = bench.outcome("r1");
    CHECK(outcome.end == JobEnd::exited);
    CHECK(outcome.exit == 4);
  }
}

TEST_CASE("an adopted job can be cancelled and still times out") {
  if (!has_sandbox()) return;
  Bench bench;
  auto cancelled = bench.job("cancelled", "sleep 1000");
  auto late = bench.job("late", "sleep 1000");
  late.resources.timeout_s = 0.6;
  start_and_die(cancelled);
  start_and_die(late);
  bench.adopt(cancelled);
  bench.adopt(late);
  bench.cancel("cancelled");
  CHECK(bench.outcome("cancelled").end == JobEnd::cancelled);
  CHECK(bench.outcome("late").end == JobEnd::timed_out);
}

TEST_CASE("a launch that nobody claimed is voided, and a late supervisor finds the mark and leaves") {
  Bench bench;
  const auto job = bench.job("r1", "true");
  std::filesystem::create_directories(job.folder);
  test::write(job.folder + "/job", test::job_text({{"token", job.token.text()},
                                                   {"isolation", "process_tree"},
                                                   {"directory", job.folder + "/work"},
                                                   {"argument", "touch"},
                                                   {"argument", bench.folder() / "ran"},
                                                   {"environment", "PATH=/usr/bin:/bin"}}));
  bench.adopt(job);
  CHECK(bench.outcome("r1").end == JobEnd::voided);
  CHECK(test::read(job.folder + "/claim") == "void " + job.token + "\n");
  CHECK(test::supervise(job.folder) == supervisor::claimed_before);
  CHECK_FALSE(test::exists(bench.folder() / "ran"));
  bench.adopt(job);
  CHECK(bench.outcome("r1").end == JobEnd::voided);
}

TEST_CASE("a launch that never got a folder, or whose folder is another's, is voided") {
  Bench bench;
  bench.adopt(bench.job("r1", "true"));
  CHECK(bench.outcome("r1").end == JobEnd::voided);
  const auto job = bench.job("r2", "true");
  test::write(job.folder + "/claim", "another\n");
  bench.adopt(job);
  const auto outcome = bench.outcome("r2");
  CHECK(outcome.end == JobEnd::voided);
  CHECK_THAT(newest_words(outcome.reason), Catch::Matchers::Contains("another launch"));
}

TEST_CASE("adopting and launching race for one claim: either the job runs or it is voided, never both") {
  int ran = 0;
  for (int round = 0; round < 30; ++round) {
    Bench bench;
    auto job = bench.job("r1", "true");
    job.token = kernel::LaunchToken("t" + std::to_string(round));
    test::write(job.folder + "/job", test::job_text({{"token", job.token.text()},
                                                     {"isolation", "process_tree"},
                                                     {"directory", job.folder + "/work"},
                                                     {"argument", "touch"},
                                                     {"argument", bench.folder() / "ran"},
                                                     {"environment", "PATH=/usr/bin:/bin"}}));
    const int pid = test::spawn_supervisor(job.folder);
    usleep(static_cast<useconds_t>(round * 100));
    bench.adopt(job);
    const auto outcome = bench.outcome("r1");
    test::wait_for(pid);
    INFO("round " << round << ": " << newest_words(outcome.reason));
    // A supervisor that lost the lock to us in passing has launched nothing, and `lost` may say so.
    CHECK((outcome.end == JobEnd::exited) == test::exists(bench.folder() / "ran"));
    CHECK((outcome.end == JobEnd::exited || outcome.end == JobEnd::voided || outcome.end == JobEnd::lost));
    ran += outcome.end == JobEnd::exited;
  }
  WARN(ran << " of 30 ran");
}

TEST_CASE("a job whose supervisor was killed is lost, and nothing of it lives on") {
  Bench bench;
  const std::string word = test::unique_word();
  for (const std::string kind : {"sandbox", "none"}) {
    if (kind == "sandbox" && !has_sandbox()) continue;
    auto job = bench.job(kind, "setsid sleep " + word + " & sleep " + word);
    if (kind == "none") job.resources.sandbox = kernel::SandboxMode::none;
    start_and_die(job);
    REQUIRE(test::eventually([&] { return test::processes_with(word) >= 2; }));
    kill(supervisor_of(job), SIGKILL);
    bench.adopt(job);
    const auto outcome = bench.outcome(kind);
    CHECK(outcome.end == JobEnd::lost);
    CHECK(outcome.started_ms > 0);
    CHECK(test::eventually([&] { return test::processes_with(word) == 0; }));
    bench.adopt(job);
    CHECK(bench.outcome(kind).end == JobEnd::lost);
  }
}

TEST_CASE("a watched tree whose supervisor was killed is swept by its token before the run is called lost") {
  Bench bench;
  const std::string word = test::unique_word();
  auto job = bench.job("r1", "");
  test::write(job.folder + "/job", test::job_text({{"token", job.token.text()},
                                                   {"isolation", "process_tree"},
                                                   {"directory", job.folder + "/work"},
                                                   {"environment", "PATH=/usr/bin:/bin"},
                                                   {"environment", "ETUDE_TOKEN=" + job.token},
                                                   {"argument", "sh"},
                                                   {"argument", "-c"},
                                                   {"argument", "setsid sleep " + word + " & sleep " + word}}));
  const int pid = test::spawn_supervisor(job.folder);
  REQUIRE(test::eventually([&] { return test::processes_with(word) >= 2; }));
  kill(pid, SIGKILL);
  test::wait_for(pid);
  bench.adopt(job);
  CHECK(bench.outcome("r1").end == JobEnd::lost);
  CHECK(test::processes_with(word) == 0);
}

TEST_CASE("a claim whose maker is gone is lost: another process now, or an earlier boot") {
  Bench bench;
  const std::string start = std::to_string(supervisor::start_time(getpid()));
  const auto reused = bench.job("reused", "true");
  test::write(reused.folder + "/claim", reused.token.text() + "\npid=" + std::to_string(getpid()) +
                                            "\nstart=1\nboot=" + supervisor::boot_id() + "\nstarted=17\n");
  bench.adopt(reused);
  const auto lost = bench.outcome("reused");
  CHECK(lost.end == JobEnd::lost);
  CHECK(lost.started_ms == 17);

  const auto old = bench.job("old", "true");
  test::write(old.folder + "/claim",
              old.token.text() + "\npid=" + std::to_string(getpid()) + "\nstart=" + start + "\nboot=an-earlier-one\n");
  bench.adopt(old);
  const auto outcome = bench.outcome("old");
  CHECK(outcome.end == JobEnd::lost);
  CHECK(newest_words(outcome.reason) == "the machine was restarted before its end was recorded");
}

TEST_CASE("a claim whose maker lives is waited for, not called lost, even before it has the lock") {
  Bench bench;
  const auto job = bench.job("r1", "true");
  claim_alive(job);
  bench.adopt(job);
  until_looked_twice(bench);
  CHECK_FALSE(bench.has_ended("r1"));
  test::write(job.folder + "/outcome", "etude-outcome 1\ntoken=" + job.token + "\nend=exited\nexit=3\n");
  CHECK(bench.outcome("r1").exit == 3);
}

TEST_CASE("an executor that goes away leaves its jobs to the next") {
  if (!has_sandbox()) return;
  Bench bench;
  const auto job = bench.job("r1", "until test -e $ETUDE_CHECKPOINT/go; do sleep 0.05; done; exit 6");
  bench.start(job);
  bench.started("r1");
  bench.replace_executor();
  bench.adopt(job);
  test::write(job.folder + "/checkpoint/go", "");
  CHECK(bench.outcome("r1").exit == 6);
}

TEST_CASE("an outcome of another token is no outcome of this launch") {
  Bench bench;
  const auto job = bench.job("r1", "true");
  test::write(job.folder + "/claim", job.token.text() + "\npid=1\nstart=1\nboot=" + supervisor::boot_id() + "\n");
  test::write(job.folder + "/outcome", "etude-outcome 1\ntoken=other\nend=exited\nexit=0\n");
  bench.adopt(job);
  CHECK(bench.outcome("r1").end == JobEnd::lost);
}

TEST_CASE("what the supervisor of an earlier etude left is read as it is, and one at work is waited for") {
  Bench bench;
  const std::string left =
      "\nend=signalled\nexit=0\nsignal=9\nreason=killed by SIGKILL\nstarted=1767225600000\nended=1767225601500\n"
      "wall_ms=1500\ncpu_ms=1200\nrss_peak=1048576\nread=10\nwritten=20\nisolation=sandbox\nlogs=complete\n";
  const auto done = bench.job("done", "true");
  test::write(done.folder + "/claim",
              done.token.text() + "\npid=1\nstart=1\nboot=an-earlier-one\nstarted=1767225600000\n");
  test::write(done.folder + "/outcome", "etude-outcome 1\ntoken=" + done.token + left);
  bench.adopt(done);
  const auto at_work = bench.job("at-work", "true");
  claim_alive(at_work, "started=1767225600000\n");
  bench.adopt(at_work);
  until_looked_twice(bench);
  CHECK_FALSE(bench.has_ended("at-work"));
  test::write(at_work.folder + "/outcome", "etude-outcome 1\ntoken=" + at_work.token + left);
  for (const char* run : {"done", "at-work"}) {
    const auto outcome = bench.outcome(run);
    CHECK(outcome.end == JobEnd::signalled);
    CHECK(outcome.signal == 9);
    CHECK(newest_words(outcome.reason) == "killed by SIGKILL");
    CHECK(outcome.sandboxed);
    CHECK(outcome.usage.wall_s == Approx(1.5));
    CHECK(outcome.usage.cpu_s == Approx(1.2));
    CHECK(outcome.usage.rss_peak_bytes == 1048576);
  }
}

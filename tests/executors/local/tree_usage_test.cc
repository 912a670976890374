// What a job's whole tree used: those it waited for, those it left behind, those that were killed.
#include <catch2/catch.hpp>

#include "tests/executors/fixture.h"

namespace {

using kernel::SandboxMode;

/// Makes the file NAME once it has used 0.2 s of processor time, and waits until it is killed. Without
/// braces, which a command would take for placeholders.
std::string busy(const std::string& name) {
  return "perl -e '1 while (times)[0] < 0.2; open F, \">" + name + "\"; sleep 1000'";
}

std::string until_there(const std::string& names) {
  return "for file in " + names + "; do until test -e $file; do sleep 0.02; done; done";
}

kernel::JobSpec job_in(const test::Bench& bench, SandboxMode mode, const std::string& command) {
  kernel::JobSpec job = bench.job("r1", command);
  job.resources.sandbox = mode;
  return job;
}

kernel::JobOutcome run_in(SandboxMode mode, const std::string& command) {
  test::Bench bench;
  return bench.run(job_in(bench, mode, command));
}

}  // namespace

TEST_CASE("processor time of a job that is killed, and of what a job leaves behind, is counted") {
  if (!test::has_sandbox()) return;
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  // Four processes that only SIGKILL ends, and the shell between them and us, which the job's end does not wait for.
  test::Bench bench;
  const auto job = job_in(bench, mode,
                          "cd $ETUDE_CHECKPOINT; trap '' TERM; " + busy("1") + " & " + busy("2") + " & " + busy("3") +
                              " & " + busy("4") + " & wait");
  bench.start(job);
  for (const char* file : {"1", "2", "3", "4"})
    REQUIRE(test::eventually([&] { return test::exists(job.folder + "/checkpoint/" + file); }));
  bench.cancel("r1");
  const auto killed = bench.outcome("r1");
  CHECK(killed.end == kernel::JobEnd::cancelled);
  CHECK(killed.usage.cpu_s >= 0.8);
  const auto left = run_in(mode, "(setsid " + busy("done") + " &); " + until_there("done"));
  CHECK(left.end == kernel::JobEnd::exited);
  CHECK(left.usage.cpu_s >= 0.2);
}

TEST_CASE("what is written is counted for the whole tree, also of processes that nobody waits for") {
  if (!test::has_sandbox()) return;
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  const std::string write = "head -c 3000000 /dev/zero > ";
  if (run_in(mode, write + "a").usage.written_bytes < 3000000) {
    WARN("skipped, this file system keeps no account of what is written");
    return;
  }
  const auto outcome = run_in(mode, write + "a; (setsid sh -c '" + write +
                                        "b; : > done; sleep 1000' &); until test -e done; do sleep 0.02; done");
  CHECK(outcome.usage.written_bytes >= 6000000);
  CHECK(outcome.usage.written_bytes < 9000000);
}

TEST_CASE("the peak of memory is that of all processes together, without a limit as with one") {
  if (!test::has_sandbox()) return;
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  // Memory is looked at now and then. The processes live longer from one round to the next, until it was in time.
  kernel::JobOutcome outcome;
  for (int seconds = 1; seconds <= 64 && outcome.usage.rss_peak_bytes <= 120 << 20; seconds *= 2) {
    const std::string part = "/usr/bin/perl -e 'my $x = \"a\" x (30 << 20); sleep " + std::to_string(seconds) + "'";
    outcome = run_in(mode, part + " & " + part + " & " + part + " & " + part + " & wait");
    CHECK(outcome.end == kernel::JobEnd::exited);
  }
  CHECK(outcome.usage.rss_peak_bytes > 120 << 20);
  CHECK(outcome.usage.rss_peak_bytes < 400 << 20);
}

// What a job's whole tree used: those it waited for, those it left behind, those that were killed.
#include <catch2/catch.hpp>

#include "tests/executors/fixture.h"

namespace {

using kernel::SandboxMode;

/// Computes until it is stopped.
constexpr char busy[] = "while :; do :; done";

kernel::JobOutcome run_in(SandboxMode mode, const std::string& command, std::optional<double> timeout = std::nullopt) {
  test::Bench bench;
  kernel::JobSpec job = bench.job("r1", command);
  job.resources.sandbox = mode;
  job.resources.timeout_s = timeout;
  return bench.run(job);
}

}  // namespace

TEST_CASE("processor time of a job that is killed, and of what a job leaves behind, is counted") {
  if (!test::has_sandbox()) return;
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  // Four processes at 100 % that only SIGKILL ends: even a machine with many others on it gives them a tenth of that.
  const std::string four = "trap '' TERM; (" + std::string(busy) + ") & (" + busy + ") & (" + busy + ") & ";
  const auto timed_out = run_in(mode, four + busy, 1.0);
  CHECK(timed_out.end == kernel::JobEnd::timed_out);
  CHECK(timed_out.usage.cpu_s > 0.1);
  CHECK(timed_out.usage.wall_s < 10);
  const auto left = run_in(mode, "(setsid sh -c '" + std::string(busy) + "' &); sleep 1");
  CHECK(left.end == kernel::JobEnd::exited);
  CHECK(left.usage.cpu_s > 0.1);
  CHECK(left.usage.wall_s < 10);
}

TEST_CASE("what is written is counted for the whole tree, whoever waits for it") {
  if (!test::has_sandbox()) return;
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  const std::string write = "head -c 3000000 /dev/zero > ";
  if (run_in(mode, write + "a").usage.written_bytes < 3000000) {
    WARN("skipped, this file system keeps no account of what is written");
    return;
  }
  const auto outcome = run_in(mode, write + "a; (setsid sh -c '" + write +
                                        "b; : > done; sleep 20' &); until test -e done; do sleep 0.02; done");
  CHECK(outcome.usage.written_bytes >= 6000000);
  CHECK(outcome.usage.written_bytes < 9000000);
}

TEST_CASE("the peak of memory is that of all processes together, without a limit as with one") {
  if (!test::has_sandbox()) return;
  const SandboxMode mode = GENERATE(SandboxMode::automatic, SandboxMode::none);
  CAPTURE(static_cast<int>(mode));
  const std::string part = "/usr/bin/perl -e 'my $x = \"a\" x (30 << 20); sleep 2'";
  const auto outcome = run_in(mode, part + " & " + part + " & " + part + " & " + part + " & wait");
  CHECK(outcome.end == kernel::JobEnd::exited);
  CHECK(outcome.usage.rss_peak_bytes > 120 << 20);
  CHECK(outcome.usage.rss_peak_bytes < 400 << 20);
}

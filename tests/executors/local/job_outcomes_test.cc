#include <cstdlib>
#include <filesystem>

#include <catch2/catch.hpp>

#include "executors/backend/harvest.h"
#include "executors/local/local_executor.h"
#include "executors/run_protocol/job_file.h"
#include "kernel/study/ledger.h"
#include "tests/executors/fixture.h"

using kernel::JobEnd;
using test::Bench;
using test::has_sandbox;

TEST_CASE("a job that succeeds has exit 0, its usage and its times") {
  if (!has_sandbox()) return;
  Bench bench;
  const auto job = bench.job("r1",
                             "echo out; echo err >&2; mkdir -p $TMPDIR/a/b; touch $TMPDIR/a/b/c; chmod 0 $TMPDIR/a; "
                             "echo '{{\"name\":\"x\",\"value\":1}}' >> $ETUDE_METRICS");
  const auto outcome = bench.run(job);
  INFO(newest_words(outcome.reason));
  CHECK(outcome.end == JobEnd::exited);
  CHECK(outcome.exit == 0);
  CHECK(outcome.sandboxed);
  CHECK(outcome.token == job.token);
  CHECK(outcome.started_ms > 1600000000000);
  CHECK(outcome.ended_ms >= outcome.started_ms);
  CHECK(outcome.usage.rss_peak_bytes > 100000);
  CHECK(outcome.usage.cpu_s > 0);
  CHECK(bench.started("r1").token == job.token);
  CHECK(bench.started("r1").started_ms == outcome.started_ms);
  CHECK(test::output_of(job) == "out\n");
  CHECK(test::errors_of(job) == "err\n");
  CHECK(executors::Harvest(job.folder).metrics(1000)->text == "{\"name\":\"x\",\"value\":1}\n");
  CHECK(std::filesystem::is_empty(job.folder + "/tmp"));
}

TEST_CASE("a job that exits 1 says so") {
  if (!has_sandbox()) return;
  Bench bench;
  const auto outcome = bench.run("r1", "exit 1");
  CHECK(outcome.end == JobEnd::exited);
  CHECK(outcome.exit == 1);
}

TEST_CASE("a job killed by a signal is told from one that exits 137") {
  if (!has_sandbox()) return;
  Bench bench;
  bench.start(bench.job("signal", "kill -KILL $$"));
  bench.start(bench.job("segv", "kill -SEGV $$"));
  bench.start(bench.job("exit", "exit 137"));
  const auto killed = bench.outcome("signal");
  CHECK(killed.end == JobEnd::signalled);
  CHECK(killed.signal == 9);
  CHECK(newest_words(killed.reason) == "killed by SIGKILL");
  CHECK(bench.outcome("segv").signal == 11);
  const auto exited = bench.outcome("exit");
  CHECK(exited.end == JobEnd::exited);
  CHECK(exited.exit == 137);
}

TEST_CASE("a job that hangs is timed out with its children, which ignore signals and have left its session") {
  Bench bench;
  const std::string word = test::unique_word();
  const std::string hang = "trap '' TERM INT HUP; setsid sleep " + word + " & (setsid sh -c 'trap \"\" TERM; sleep " +
                           word + " & sleep " + word + "' &) ; sleep " + word;
  for (const bool sandboxed : {true, false}) {
    if (sandboxed && !has_sandbox()) continue;
    auto job = bench.job(sandboxed ? "inside" : "outside", hang);
    job.resources.timeout_s = 0.7;
    if (!sandboxed) job.resources.sandbox = kernel::SandboxMode::none;
    bench.start(job);
  }
  for (const std::string run : {"inside", "outside"}) {
    if (run == "inside" && !has_sandbox()) continue;
    const auto outcome = bench.outcome(run);
    CHECK(outcome.end == JobEnd::timed_out);
    CHECK(newest_words(outcome.reason) == "timed out after 0.7 s");
    CHECK(outcome.usage.wall_s >= 0.7);
  }
  CHECK(test::processes_with(word) == 0);
}

TEST_CASE("a job asked to stop in time may tidy up") {
  if (!has_sandbox()) return;
  Bench bench;
  const auto job =
      bench.job("r1", "trap 'echo saved > $ETUDE_CHECKPOINT/state; exit 0' TERM; echo ready; sleep 1000 & wait");
  const auto is_ready = [&](const kernel::JobOutcome&) { return test::output_of(job) == "ready\n"; };
  CHECK(bench.timed_out(job, is_ready).end == JobEnd::timed_out);
  CHECK(test::read(job.folder + "/checkpoint/state") == "saved\n");
}

TEST_CASE("a job that prints 1 GB keeps the first and last 8 MB and is not held up") {
  if (!has_sandbox()) return;
  Bench bench;
  constexpr std::uint64_t lines = 64 << 20, width = 16;  // Numbered, so that every byte's place can be checked.
  test::write(bench.folder() / "workspace/print.pl",
              "my $n = 0; for (1 .. 1024) { print join('', map { sprintf('%015d' . chr(10), $n++) } 1 .. 256) x 1; "
              "my $block = 'x' x 15 . chr(10); print $block x (65536 - 256); $n += 65536 - 256; }");
  const auto unread = bench.run("unread", "perl print.pl | cat > /dev/null");
  const auto job = bench.job("r1", "perl print.pl");
  const auto outcome = bench.run(job);
  CHECK(outcome.exit == 0);
  CHECK(outcome.usage.wall_s < 20 * unread.usage.wall_s);

  const auto extent = executors::Harvest(job.folder).log_extent(executors::OutputStream::out);
  CHECK(extent.length == lines * width);
  CHECK(extent.head == 8 << 20);
  CHECK(extent.tail == lines * width - (8 << 20));
  const auto at = [&](std::uint64_t offset, std::uint64_t count) {
    return executors::Harvest(job.folder).log(executors::OutputStream::out, offset, count);
  };
  CHECK(at(0, 16) == "000000000000000\n");
  CHECK(at((4 << 20) + 16, 16) == "000000000262145\n");
  CHECK(at(extent.length - (1 << 20) + 32, 16) == "000000067043330\n");
  const std::string across = at((8 << 20) - 16, (1ull << 30) - (16 << 20) + 32);
  CHECK(across == "xxxxxxxxxxxxxxx\n[etude: 1,056,964,608 bytes left out]\n000000066584576\n");
  CHECK(std::filesystem::file_size(job.folder + "/stdout.tail") < (8 << 20) + 100);
}

TEST_CASE("a job that fills its folder is stopped by the disk limit, unlinked space or not") {
  if (!has_sandbox()) return;
  Bench bench;
  auto job = bench.job("r1", "cd /etude/out; for i in $(seq 100); do head -c 4M /dev/zero > f$i; done; sleep 1000");
  job.resources.disk_bytes = 20 << 20;
  auto tmp = bench.job("r2", "head -c 60M /dev/zero > /tmp/big; sleep 1000");
  tmp.resources.disk_bytes = 20 << 20;
  bench.start(job);
  bench.start(tmp);
  for (const std::string run : {"r1", "r2"}) {
    const auto outcome = bench.outcome(run);
    CHECK(outcome.end == JobEnd::disk);
    CHECK_THAT(newest_words(outcome.reason), Catch::Matchers::EndsWith("20 MB allowed"));
  }
}

TEST_CASE("a job that ends above its disk limit has not succeeded") {
  if (!has_sandbox()) return;
  Bench bench;
  auto job = bench.job("r1", "head -c 3M /dev/zero > big");
  job.resources.disk_bytes = 1 << 20;
  CHECK(bench.run(job).end == JobEnd::disk);
}

TEST_CASE("a job that forks and exits is over, and what it left behind dies") {
  Bench bench;
  const std::string word = test::unique_word();
  for (const bool sandboxed : {true, false}) {
    if (sandboxed && !has_sandbox()) continue;
    auto job = bench.job(sandboxed ? "inside" : "outside", "setsid sleep " + word + " & echo done");
    if (!sandboxed) job.resources.sandbox = kernel::SandboxMode::none;
    const auto outcome = bench.run(job);
    CHECK(outcome.end == JobEnd::exited);
    CHECK(outcome.exit == 0);
    CHECK(test::output_of(job) == "done\n");
  }
  CHECK(test::processes_with(word) == 0);
}

TEST_CASE("a job that needs more memory than allowed is killed, one process or many, or files in /dev/shm") {
  if (!has_sandbox()) return;
  Bench bench;
  const std::string hog = "/usr/bin/perl -e 'my $x = \"a\" x (150 << 20); sleep 1000'";
  auto one = bench.job("one", hog);
  one.resources.memory_bytes = 100 << 20;
  const std::string part = "/usr/bin/perl -e 'my $x = \"a\" x (30 << 20); sleep 1000'";
  auto many = bench.job("many", part + " & " + part + " & " + part + " & " + part + " & wait");
  many.resources.memory_bytes = 100 << 20;
  auto shm = bench.job("shm", "head -c 60M /dev/zero > /dev/shm/x; " + part + " & " + part + " & wait");
  shm.resources.memory_bytes = 100 << 20;
  for (const auto& job : {one, many, shm}) bench.start(job);
  for (const std::string run : {"one", "many", "shm"}) {
    const auto outcome = bench.outcome(run);
    INFO(run);
    CHECK(outcome.end == JobEnd::memory);
    CHECK_THAT(newest_words(outcome.reason),
               Catch::Matchers::StartsWith("memory: ") && Catch::Matchers::EndsWith("100 MB allowed"));
    CHECK(outcome.usage.rss_peak_bytes > 50 << 20);
  }
}

TEST_CASE(
    "a job that is killed while Linux kills processes for want of memory ends for it; killed otherwise, it does not") {
  Bench bench;
  const std::string counters = bench.folder() / "vmstat";
  ::setenv("ETUDE_VMSTAT", counters.c_str(), 1);
  const auto killed = [&](const std::string& name, const std::string& command, const std::string& after) {
    test::write(counters, "nr_free_pages 7\noom_kill 3\nnr_dirty 1\n");
    auto job = bench.job(name, "until test -e ../go; do sleep 0.05; done; " + command);
    job.resources.sandbox = kernel::SandboxMode::none;
    bench.start(job);
    bench.started(name);
    test::write(counters, "nr_free_pages 7\n" + after);
    test::write(job.folder + "/go", "");
    return bench.outcome(name);
  };
  for (const std::string command : {"kill -9 $$", "sh -c 'kill -9 $$'; exit $?"}) {
    const auto outcome = killed(command[0] == 'k' ? "itself" : "child", command, "oom_kill 4\nnr_dirty 1\n");
    CHECK(outcome.end == JobEnd::memory);
    CHECK_THAT(newest_words(outcome.reason), Catch::Matchers::Contains("while Linux killed processes"));
  }
  CHECK(killed("same", "kill -9 $$", "oom_kill 3\nnr_dirty 1\n").end == JobEnd::signalled);
  CHECK(killed("old", "kill -9 $$", "nr_dirty 1\n").end == JobEnd::signalled);
  CHECK(killed("other", "kill -15 $$", "oom_kill 9\n").end == JobEnd::signalled);
  ::unsetenv("ETUDE_VMSTAT");
}

TEST_CASE("memory that processes share is counted once, and reserved memory not at all") {
  if (!has_sandbox()) return;
  Bench bench;
  // 60 MB shared by five processes with 8 MB of their own; 8 GB reserved and never touched.
  test::write(bench.folder() / "workspace/share.py",
              "import mmap, os, sys, time\n"
              "reserved = mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\n"
              "x = bytearray(b'a') * (60 << 20)\n"
              "for i in range(4):\n"
              "    if os.fork() == 0: break\n"
              "own = bytearray(b'a') * (8 << 20)\n"
              "time.sleep(float(sys.argv[1]))\n");
  // The supervisor samples memory. The processes live longer from one round to the next, until a sample was in time.
  kernel::JobOutcome outcome;
  for (int seconds = 1; seconds <= 64 && outcome.usage.rss_peak_bytes <= 90 << 20; seconds *= 2) {
    auto job = bench.job("r" + std::to_string(seconds), "/usr/bin/python3 share.py " + std::to_string(seconds));
    job.resources.memory_bytes = 150 << 20;
    outcome = bench.run(job);
    INFO(newest_words(outcome.reason));
    CHECK(outcome.end == JobEnd::exited);
  }
  CHECK(outcome.usage.rss_peak_bytes > 90 << 20);
  CHECK(outcome.usage.rss_peak_bytes < 150 << 20);
}

TEST_CASE("what is reserved for a run covers the time that a stopped job has to tidy up") {
  CHECK(static_cast<double>(supervisor::Job{}.grace_ms) / 1000 < kernel::most_after_time_out_s);
}

TEST_CASE("a cancelled job dies and is called cancelled; cancelling twice or a stranger does nothing") {
  if (!has_sandbox()) return;
  Bench bench;
  bench.cancel("nobody");
  bench.start(bench.job("r1", "exec sleep 1000"));
  bench.started("r1");
  bench.cancel("r1");
  bench.cancel("r1");
  CHECK(bench.outcome("r1").end == JobEnd::cancelled);
  bench.cancel("r1");
  bench.start(bench.job("r2", "sleep 1000"));
  bench.cancel("r2");
  CHECK(bench.outcome("r2").end == JobEnd::cancelled);
}

TEST_CASE(
    "a program that is not there, a missing workspace and a missing data folder fail to start, each with its reason") {
  if (!has_sandbox()) return;
  Bench bench;
  auto program = bench.job("program", "");
  program.command = {false, {"no-such-program", "x"}};
  auto workspace = bench.job("workspace", "true");
  workspace.workspace = bench.folder() / "nowhere";
  auto data = bench.job("data", "true");
  data.data = {{"corpus", bench.folder() / "no-corpus", "data.corpus"}};
  for (const auto& job : {program, workspace, data}) bench.start(job);
  const auto reason = [&](const std::string& run) {
    const auto outcome = bench.outcome(run);
    CHECK(outcome.end == JobEnd::failed_to_start);
    CHECK_FALSE(bench.has_started(run));
    return newest_words(outcome.reason);
  };
  CHECK(reason("program") == "no-such-program: No such file or directory");
  CHECK_THAT(reason("workspace"), Catch::Matchers::Contains("nowhere: No such file or directory"));
  CHECK_THAT(reason("data"), Catch::Matchers::Contains("no-corpus"));
}

TEST_CASE("a supervisor that cannot be started is a job that failed to start") {
  test::Folder folder;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<kernel::JobOutcome> outcome;
  kernel::JobListener listener;
  listener.ended = [&](kernel::JobOutcome o) {
    const std::lock_guard lock(mutex);
    outcome = o;
    changed.notify_all();
  };
  executors::LocalExecutor executor(listener, folder / "no-supervisor");
  kernel::JobSpec spec;
  spec.run = "r1";
  spec.token = kernel::LaunchToken("r1");
  spec.folder = folder / "run";
  spec.command = {true, {"true"}};
  spec.resources.sandbox = kernel::SandboxMode::none;
  executor.start(spec);
  std::unique_lock lock(mutex);
  REQUIRE(changed.wait_for(lock, std::chrono::minutes(4), [&] { return outcome.has_value(); }));
  CHECK(outcome->end == JobEnd::failed_to_start);
  CHECK_THAT(newest_words(outcome->reason), Catch::Matchers::Contains("no-supervisor"));
}

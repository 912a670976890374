#include <catch2/catch.hpp>
#include <unistd.h>

#include "executors/run_protocol/run_files.h"
#include "tests/executors/fixture.h"

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using kernel::JobEnd;
using test::Bench;
using test::has_sandbox;

namespace {

/// Two to the power of `generations` processes, each with the word; should they get out, the machine survives it.
std::string fork_bomb(const std::string& word, int generations = 13) {
  return "exec perl -e 'for (1.." + std::to_string(generations) + ") { fork } sleep 300' " + word;
}

}  // namespace

TEST_CASE("a fork bomb ends and says why, leaves nothing, and stops no other run") {
  for (const bool sandboxed : {true, false}) {
    if (sandboxed && !has_sandbox()) continue;
    Bench bench;
    const std::string word = test::unique_word();
    auto bomb = bench.job("bomb", "sh bomb.sh");
    test::write(bench.folder() / "workspace/bomb.sh", fork_bomb(word));
    auto other = bench.job("other", "for i in 1 2 3 4 5; do sleep 0.1; /bin/true || exit 1; done");
    if (!sandboxed) bomb.resources.sandbox = other.resources.sandbox = kernel::SandboxMode::none;
    bench.start(other);
    bench.start(bomb);
    const auto outcome = bench.outcome("bomb");
    INFO("sandboxed: " << sandboxed << ": " << newest_words(outcome.reason));
    CHECK(outcome.end == JobEnd::processes);
    CHECK_THAT(newest_words(outcome.reason), StartsWith("processes: more than the "));
    CHECK(test::processes_with(word) == 0);
    CHECK(bench.outcome("other").exit == 0);
  }
}

TEST_CASE("a fork bomb ends where there is no namespace to end with it, too") {
  const test::Folder folder;
  const std::string word = test::unique_word();
  test::write(folder / "bomb.sh", fork_bomb(word, 10));
  test::write(folder / "run/job", test::job_text({{"token", word},
                                                  {"isolation", "process_tree"},
                                                  {"directory", "/tmp"},
                                                  {"argument", "/bin/sh"},
                                                  {"argument", folder / "bomb.sh"},
                                                  {"environment", "ETUDE_TOKEN=" + word},
                                                  {"processes", "300"}}));
  CHECK(test::supervise(folder / "run") == supervisor::left_outcome);
  CHECK_THAT(test::read(folder / "run/outcome"), Catch::Matchers::Contains("\nend=processes\n"));
  CHECK(test::processes_with(word) == 0);
}

TEST_CASE("threads count like processes") {
  if (!has_sandbox()) return;
  Bench bench;
  test::write(
      bench.folder() / "workspace/threads.py",
      "import os, sys, threading, time\n"
      "threading.stack_size(65536)\n"
      "for i in range(int(sys.argv[1])): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
      "print('all', flush=True)\n"
      "os.fork()\n"
      "held = bytearray(b'a') * (100 << 20)\n"
      "time.sleep(float(sys.argv[2]))\n");
  const auto many = bench.run("many", "/usr/bin/python3 threads.py 7000 1000");
  INFO(newest_words(many.reason));
  CHECK(many.end == JobEnd::processes);
  // It lives longer from one round to the next, until the supervisor has seen the memory of both its processes, and so
  // its threads.
  std::int64_t seen = 0;
  for (int seconds = 1; seconds <= 64 && seen <= 200 << 20; seconds *= 2) {
    const auto enough =
        bench.job("enough" + std::to_string(seconds), "/usr/bin/python3 threads.py 3000 " + std::to_string(seconds));
    const auto outcome = bench.run(enough);
    CHECK(outcome.end == JobEnd::exited);
    CHECK(test::output_of(enough) == "all\n");
    seen = outcome.usage.rss_peak_bytes;
  }
  CHECK(seen > 200 << 20);
}

TEST_CASE("a file without a name counts towards the disk limit while somebody holds it") {
  if (!has_sandbox()) return;
  Bench bench;
  auto job = bench.job("r1", "exec 3> f; rm f; head -c 60M /dev/zero >&3; sleep 1000");
  job.resources.disk_bytes = 20 << 20;
  const auto outcome = bench.run(job);
  CHECK(outcome.end == JobEnd::disk);
  CHECK_THAT(newest_words(outcome.reason), EndsWith("20 MB allowed"));
}

TEST_CASE("memory in files that no process has mapped counts towards the limit") {
  if (!has_sandbox()) return;
  Bench bench;
  test::write(bench.folder() / "workspace/memory.py",
              "import os, time\n"
              "file = os.memfd_create('hidden')\n"
              "for _ in range(200): os.write(file, b'x' * (1 << 20))\n"
              "time.sleep(1000)\n");
  for (const auto mode : {kernel::SandboxMode::automatic, kernel::SandboxMode::none}) {
    auto job = bench.job(mode == kernel::SandboxMode::none ? "r2" : "r1", "exec /usr/bin/python3 memory.py");
    job.resources.sandbox = mode;
    job.resources.memory_bytes = 100 << 20;
    const auto outcome = bench.run(job);
    INFO(newest_words(outcome.reason));
    CHECK(outcome.end == JobEnd::memory);
  }
}

TEST_CASE("System V segments of a sandbox have the limit of its memory") {
  // Linux lets a user who is not root limit them from 6.9.
  if (!has_sandbox() || geteuid() != 0) return;
  Bench bench;
  // IPC_PRIVATE is 0. Waits until the limit is set.
  test::write(bench.folder() / "workspace/segments.pl",
              "use IPC::SysV; select(undef, undef, undef, 0.01) until `cat /proc/sys/kernel/shmall` < 100000;\n"
              "for my $n (1..3) { print defined(shmget(0, 60 << 20, 0600)) ? 'made ' : 'refused ' }\n");
  auto job = bench.job("r1", "/usr/bin/perl segments.pl");
  job.resources.memory_bytes = 100 << 20;
  CHECK(bench.run(job).exit == 0);
  CHECK(test::output_of(job) == "made refused refused ");
}

TEST_CASE("files below any number of folders, and metrics, count towards the disk limit") {
  if (!has_sandbox()) return;
  Bench bench;
  for (const std::string commands : {"/usr/bin/python3 -c 'import os, time\n"
                                     "for _ in range(700): os.mkdir(\"d\"); os.chdir(\"d\")\n"
                                     "open(\"f\", \"wb\").write(bytes(60 << 20)); time.sleep(1000)'",
                                     "head -c 60M /dev/zero >> $ETUDE_METRICS; sleep 1000"}) {
    static int number = 0;
    auto job = bench.job("r" + std::to_string(++number), commands);
    job.resources.disk_bytes = 20 << 20;
    const auto outcome = bench.run(job);
    INFO(commands << ": " << newest_words(outcome.reason));
    CHECK(outcome.end == JobEnd::disk);
  }
}

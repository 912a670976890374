// How busy the machine was beside a job.

#include <chrono>
#include <csignal>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/run_protocol/machine_counters.h"
#include "tests/executors/fixture.h"

using supervisor::machine_load;
using supervisor::parse_processor_time;
using supervisor::ProcessorTime;

namespace {

const char* const two_processors =
    "cpu  100 20 30 4000 500 6 7 80 9 10\n"
    "cpu0 50 10 15 2000 250 3 3 40 4 5\n"
    "cpu1 50 10 15 2000 250 3 4 40 5 5\n"
    "intr 1 2 3\nctxt 9\n";

/// Processes that only spin; killed when this goes, and by themselves where it never does.
class Spinners {
 public:
  explicit Spinners(int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t pid = fork();
      if (pid > 0) pids_.push_back(pid);
      if (pid != 0) continue;
      alarm(600);
      volatile unsigned turns = 0;
      for (;;) turns = turns + 1;
    }
  }
  ~Spinners() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }

 private:
  std::vector<pid_t> pids_;
};

}  // namespace

TEST_CASE("what the processors did is all that they were not idle; guests are users, and counted once") {
  const auto time = parse_processor_time(two_processors, 100);
  REQUIRE(time);
  CHECK(time->busy_us == (100 + 20 + 30 + 6 + 7 + 80) * 10'000);
  CHECK(time->cpus == 2);
  CHECK(parse_processor_time(two_processors, 1000)->busy_us == 243'000);
}

TEST_CASE("a text that is no /proc/stat says nothing of the processors") {
  for (const char* text :
       {"", "cpu", "cpu  1 2 3\ncpu0 1 2 3\n", "cpu  1 2 3 x 5 6 7 8\ncpu0 1\n", "cpu  1 2 3 4 5 6 7 8\n",
        "cpux 1 2 3 4 5 6 7 8\ncpu0 1\n", "intr 1\ncpu 1 2 3 4 5 6 7 8\n"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_processor_time(text, 100));
  }
  CHECK_FALSE(parse_processor_time(two_processors, 0));
}

TEST_CASE("others' share is what the machine did beyond the job, and unknown where looks cannot be compared") {
  const ProcessorTime before{5'000'000, 4}, after{8'000'000, 4};
  const auto found = machine_load(before, after, 1'000'000, 1'000);
  REQUIRE(found);
  CHECK(found->used_mcpu == 3000);
  CHECK(found->others_mcpu == 2000);
  CHECK(found->cpus == 4);
  // The counters are coarser than the job's own account.
  CHECK(machine_load(before, after, 3'100'000, 1'000)->others_mcpu == 0);
  CHECK_FALSE(machine_load(before, ProcessorTime{8'000'000, 3}, 0, 1'000));
  CHECK_FALSE(machine_load(after, before, 0, 1'000));
  CHECK_FALSE(machine_load(before, after, 0, 99));
  CHECK_FALSE(machine_load(std::nullopt, after, 0, 1'000));
  CHECK_FALSE(machine_load(before, std::nullopt, 0, 1'000));
}

TEST_CASE("time that a quota kept from the job is time of others, on as many processors as the quota is") {
  const ProcessorTime before{5'000'000, 8, 100'000, 1.5}, after{6'500'000, 8, 600'000, 1.5};
  const auto throttled = machine_load(before, after, 1'400'000, 1'000);
  REQUIRE(throttled);
  CHECK(throttled->cpus == 2);
  CHECK(throttled->used_mcpu == 1900);
  CHECK(throttled->others_mcpu == 500);
  // A quota that was never reached says nothing.
  const auto free = machine_load(before, ProcessorTime{6'500'000, 8, 100'000, 1.5}, 1'400'000, 1'000);
  REQUIRE(free);
  CHECK(free->cpus == 8);
  CHECK(free->used_mcpu == 1500);
  CHECK(free->others_mcpu == 100);
}

TEST_CASE("a run beside processes that spin says how many processors others had, and not what it had itself") {
  test::Bench bench;
  const auto cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  auto spinning = bench.job("spins", "perl -e '1 while (times)[0] < 0.3'");
  auto idle = bench.job("idle", "sleep 0.6"), quick = bench.job("quick", "true");
  for (auto* job : {&spinning, &idle, &quick}) job->resources.sandbox = kernel::SandboxMode::none;
  {
    const Spinners others(cpus);
    const auto beside = bench.run(idle);
    REQUIRE(beside.usage.machine);
    CHECK(beside.usage.machine->cpus >= 1);
    CHECK(beside.usage.machine->others_cpus > 0.5);
    CHECK(beside.usage.machine->others_cpus <= beside.usage.machine->used_cpus);
  }
  const auto own = bench.run(spinning);
  REQUIRE(own.usage.machine);
  CHECK(own.usage.cpu_s >= 0.3);
  CHECK(own.usage.machine->others_cpus <= own.usage.machine->used_cpus - own.usage.cpu_s / own.usage.wall_s + 0.2);
  const auto short_one = bench.run(quick);
  if (short_one.usage.wall_s < 0.09) CHECK_FALSE(short_one.usage.machine);
}

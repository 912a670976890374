// Runs on GPUs: what is metered of their devices, and the ports at which several devices meet.
#include <chrono>
#include <set>
#include <thread>

#include <catch2/catch.hpp>

#include "executors/local/job_environment.h"
#include "tests/executors/devices/gpu_driver.h"

namespace {

using test::Bench;
using test::gpu_job;
using test::GpuDriver;
using test::two_devices;

}  // namespace

TEST_CASE("a run's devices are metered from launch to end: energy, utilisation, memory; the lease names what it sees") {
  GpuDriver driver(two_devices);
  Bench bench;
  const auto job = gpu_job(bench, "r1", {"GPU-a", "1"});
  bench.start(job);
  bench.started("r1");
  driver.says(
      "uuid=GPU-a minor=3 total=1000 used=600 energy=5250 share=40 pids=\n"
      "uuid=GPU-b minor=1 total=2000 used=500 energy=9001 share=80 pids=77\n");
  REQUIRE(test::eventually([&] { return test::read(job.folder + "/gpus").find("share_max=80") != std::string::npos; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));  // Shorter runs have no values over time.
  test::write(job.folder + "/go", "");
  const auto outcome = bench.outcome("r1");
  CHECK(test::output_of(job) == "GPU-a,GPU-b\n");
  REQUIRE(outcome.usage_over_time);
  CHECK(outcome.usage_over_time->starts_with("seconds,cpu_seconds,memory_bytes,gpu_seconds,gpu_memory_bytes\n"));
  CHECK(outcome.usage_over_time->find(",600\n") != std::string::npos);
  REQUIRE(outcome.usage.energy);
  CHECK(outcome.usage.energy->counters.at("GPU-a") == 0.25);
  CHECK(outcome.usage.energy->counters.at("GPU-b") == 2.001);
  CHECK(outcome.usage.energy->joules() == 2.251);
  CHECK(outcome.usage.energy->source == "nvml:GPU-a+GPU-b");
  CHECK(outcome.usage.energy->to_ms > outcome.usage.energy->from_ms);
  REQUIRE(outcome.usage.gpu);
  CHECK(outcome.usage.gpu->utilisation_max == 0.8);
  CHECK(*outcome.usage.gpu->utilisation_mean == Approx(0.6));
  CHECK(outcome.usage.gpu->memory_peak_bytes == 600);
  CHECK(outcome.usage.gpu->samples >= 1);
}

TEST_CASE(
    "an executor that adopts goes on where the counters stood at the launch; without a watcher there is no number") {
  GpuDriver driver(two_devices);
  Bench bench;
  const auto watched = gpu_job(bench, "r1", {"GPU-a"}), alone = gpu_job(bench, "r2", {"GPU-b"});
  for (const auto& job : {watched, alone}) {
    bench.start(job);
    bench.started(job.run);
  }
  bench.replace_executor();
  driver.says(
      "uuid=GPU-a minor=3 total=1000 used=300 energy=5100 share=10 pids=\n"
      "uuid=GPU-b minor=1 total=2000 used=500 energy=9001 share=80 pids=77\n");
  test::write(alone.folder + "/go", "");
  REQUIRE(test::eventually([&] { return test::exists(alone.folder + "/outcome"); }));
  bench.adopt(watched);
  bench.adopt(alone);
  bench.started("r1");
  const auto unwatched = bench.outcome("r2");
  CHECK_FALSE(unwatched.usage.energy);
  CHECK_FALSE(unwatched.usage.gpu);
  test::write(watched.folder + "/go", "");
  const auto outcome = bench.outcome("r1");
  REQUIRE(outcome.usage.energy);
  CHECK(outcome.usage.energy->joules() == 0.1);
}

TEST_CASE("a device without an energy counter, or with one that was reset, leaves the others' energy out, too") {
  const std::string other = "uuid=GPU-b minor=1 total=2000 used=20 energy=7000 share=0 pids=\n";
  std::string before, after;
  SECTION("none") {
    before = after = "uuid=GPU-a minor=3 total=1000 used=10 share=0 pids=\n";
  }
  SECTION("reset") {
    before = "uuid=GPU-a minor=3 total=1000 used=10 energy=9 share=0 pids=\n";
    after = "uuid=GPU-a minor=3 total=1000 used=10 energy=8 share=0 pids=\n";
  }
  GpuDriver driver(before + other);
  Bench bench;
  const auto job = gpu_job(bench, "r1", {"GPU-a", "GPU-b"});
  bench.start(job);
  bench.started("r1");
  driver.says(after + other);
  test::write(job.folder + "/go", "");
  CHECK_FALSE(bench.outcome("r1").usage.energy);
}

TEST_CASE("a run on a device that the driver does not know is not started") {
  const GpuDriver driver(two_devices);
  Bench bench;
  const auto outcome = bench.run(gpu_job(bench, "r1", {"GPU-z"}));
  CHECK(outcome.end == kernel::JobEnd::failed_to_start);
  CHECK_THAT(newest_words(outcome.reason),
             Catch::Matchers::Contains("GPU-z") && Catch::Matchers::Contains("lists no such device"));
}

TEST_CASE("runs on several devices meet at ports of their own; with one device a job gets none") {
  const GpuDriver driver(two_devices);
  Bench bench;
  std::set<std::string> ports;
  for (const std::string run : {"r1", "r2", "r3"}) {
    auto job = bench.job(run, "echo {port} $MASTER_PORT $PET_MASTER_PORT $MASTER_ADDR");
    job.resources.sandbox = kernel::SandboxMode::none;
    job.gpus = {"GPU-a", "GPU-b"};
    CHECK(bench.run(job).exit == 0);
    const std::string said = test::output_of(job), port = said.substr(0, said.find(' '));
    CHECK(said == port + " " + port + " " + port + " 127.0.0.1\n");
    ports.insert(port);
  }
  CHECK(ports.size() == 3);
  auto alone = gpu_job(bench, "r4", {"GPU-a"});
  alone.command = {true, {"printenv MASTER_PORT || echo none"}};
  bench.run(alone);
  CHECK(test::output_of(alone) == "none\n");

  executors::JobPorts chosen;
  alone.gpus = {"GPU-a", "GPU-b"};
  std::set<int> seen;
  for (int i = 0; i < 200; ++i) seen.insert(chosen.port_for(alone, false));
  CHECK(seen.size() == 200);
  alone.resources.sandbox = kernel::SandboxMode::automatic;
  CHECK(chosen.port_for(alone, false) == 29500);  // In a network of its own.
  alone.resources.network = true;
  CHECK(chosen.port_for(alone, true) >= 20000);
}

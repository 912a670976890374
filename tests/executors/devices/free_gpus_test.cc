// When a GPU is free again after a run, and who keeps it until then.
#include <cstdlib>
#include <filesystem>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/local/gpu_holders.h"
#include "executors/local/local_backend.h"
#include "executors/local/run_devices.h"
#include "tests/executors/devices/gpu_driver.h"

namespace {

using executors::Nvml;
using test::Bench;
using test::gpu_job;
using test::GpuDriver;
using test::Ids;
using test::nvml_fake;
using test::two_devices;

}  // namespace

TEST_CASE("a device is free again when its memory is back and nobody came who holds some") {
  GpuDriver driver(two_devices);
  Bench bench;
  const auto job = gpu_job(bench, "r1", {"GPU-b"});
  bench.start(job);
  bench.started("r1");
  const auto noted = executors::gpu_starts(job.folder + "/gpus");
  REQUIRE(noted);
  const std::vector<executors::GpuStart>& starts = *noted;
  REQUIRE(starts.size() == 1);
  CHECK(starts[0].id == "GPU-b");
  CHECK(starts[0].processes == std::vector<int>{77});
  const Nvml nvml;
  CHECK(executors::free_again(starts[0], "r1", nvml));
  const auto with = [&](const std::string& rest) {
    driver.says("uuid=GPU-a\nuuid=GPU-b " + rest + "\n");
    return executors::free_again(starts[0], "r1", nvml);
  };
  CHECK_FALSE(with("total=2000 used=20 pids=77,78"));
  CHECK_FALSE(with("total=2000 used=70000000 pids=77"));
  CHECK_FALSE(with("total=2000 pids=77"));  // not known any more
  CHECK_FALSE(with("total=2000 used=20"));
  CHECK(with("total=2000 used=60000000 pids="));  // less than a driver keeps
  test::write(job.folder + "/go", "");
  bench.outcome("r1");

  CHECK(executors::free_again({"0", std::nullopt, std::nullopt, std::nullopt}, "r1", Nvml("/nowhere")));
}

namespace {

/// A process with these variables and this name, until this goes.
class Neighbour {
 public:
  Neighbour(std::string name, std::vector<std::string> variables) {
    int ready[2];
    REQUIRE(::pipe2(ready, O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      std::vector<char*> environment;
      for (std::string& one : variables) environment.push_back(one.data());
      environment.push_back(nullptr);
      char* arguments[] = {name.data(), const_cast<char*>("3600"), nullptr};
      ::execve("/usr/bin/sleep", arguments, environment.data());
      ::_exit(1);
    }
    ::close(ready[1]);
    char byte;
    // The pipe closes with its exec.
    (void)!::read(ready[0], &byte, 1);
    ::close(ready[0]);
  }
  ~Neighbour() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  std::string pid() const { return std::to_string(pid_); }

 private:
  pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("a share is free when no process of its run is left on the device; others may be there") {
  const Neighbour own("python3", {"ETUDE_RUN=abc", "X=1"}), other("python3", {"ETUDE_RUN=def"}), stranger("game", {});
  GpuDriver driver("uuid=GPU-a total=1000 used=10 pids=\n");
  const Nvml nvml;
  const executors::GpuStart start{"GPU-a", std::nullopt, 10, std::vector<int>(), true};
  const auto with = [&](const std::string& pids) {
    driver.says("uuid=GPU-a total=1000 used=900000000 pids=" + pids + "\n");
    return executors::free_again(start, "abc", nvml);
  };
  CHECK(with(""));
  CHECK(with(other.pid() + ":500," + stranger.pid() + ":70"));
  CHECK_FALSE(with(other.pid() + ":500," + own.pid() + ":70"));
  driver.says("uuid=GPU-a total=1000 used=10\n");
  CHECK_FALSE(executors::free_again(start, "abc", nvml));

  driver.says("uuid=GPU-a total=1000 used=9 pids=" + own.pid() + ":2000000000," + stranger.pid() + ":1,4194305:7\n");
  const auto holders = executors::gpu_holders(nvml, "GPU-a");
  REQUIRE(holders);
  REQUIRE(holders->size() == 3);
  std::map<std::string, executors::GpuHolder> by;
  for (const executors::GpuHolder& holder : *holders) by[std::to_string(holder.pid)] = holder;
  CHECK(by.at(own.pid()).is_orphan());
  CHECK_THAT(executors::holder_words(by.at(own.pid())),
             Catch::Matchers::StartsWith("process " + own.pid() + " (python3, user ") &&
                 Catch::Matchers::EndsWith(", left by run abc) holds 2.0 GB"));
  CHECK_FALSE(by.at(stranger.pid()).is_orphan());
  CHECK(executors::holder_words(by.at("4194305")) == "process 4194305 (not seen from here) holds 7 bytes");
}

TEST_CASE("doctor names the processes on devices: what a run left there, and what leaves too little memory") {
  const Neighbour orphan("python3", {"ETUDE_RUN=abc"}), stranger("game", {});
  const test::Folder folder;
  test::write(folder / "dev/nvidia0", "");
  executors::MachineQuery query;
  query.devices = folder / "dev";
  query.nvml = nvml_fake;
  const auto said = [&](const std::string& pids) {
    const GpuDriver driver("uuid=GPU-a total=80000000000 used=10 pids=" + pids + "\n");
    for (executors::MachineCheck& check : executors::machine_checks(query))
      if (check.name == "gpu") return check;
    return executors::MachineCheck();
  };
  CHECK(said("").detail == "1 NVIDIA device");
  CHECK(said(stranger.pid() + ":1000000").health == executors::Health::ok);
  const auto left = said(orphan.pid() + ":5");
  CHECK(left.health == executors::Health::warn);
  CHECK(left.remedy == "end what runs left: kill " + orphan.pid());
  const auto taken = said(stranger.pid() + ":70000000000");
  CHECK(taken.health == executors::Health::warn);
  CHECK_THAT(taken.detail,
             Catch::Matchers::StartsWith("1 NVIDIA device; GPU-a: process " + stranger.pid() + " (game, "));
  CHECK_THAT(taken.remedy, Catch::Matchers::Contains("$ETUDE_GPUS"));
}

TEST_CASE("the server for shares may stay on a device, with the context that it keeps there") {
  const Neighbour server("nvidia-cuda-mps-server", {}), job("python3", {});
  GpuDriver driver("uuid=GPU-a total=1 used=10 pids=\n");
  const Nvml nvml;
  const executors::GpuStart start{"GPU-a", std::nullopt, 10, std::vector<int>()};
  const auto with = [&](const std::string& rest) {
    driver.says("uuid=GPU-a total=1 " + rest + "\n");
    return executors::free_again(start, "abc", nvml);
  };
  CHECK(with("used=400000000 pids=" + server.pid() + ":390000000"));
  CHECK_FALSE(with("used=900000000 pids=" + server.pid() + ":390000000"));
  CHECK_FALSE(with("used=400000000 pids=" + job.pid() + ":390000000," + server.pid() + ":10"));
}

TEST_CASE("who keeps a device from the next run is said after a while, and again after the longest wait") {
  ::setenv("ETUDE_GPU_WAIT", "1", 1);
  GpuDriver driver(two_devices);
  const Neighbour stranger("game", {});
  Bench bench;
  ::unsetenv("ETUDE_GPU_WAIT");
  const auto job = gpu_job(bench, "r1", {"GPU-a"});
  bench.start(job);
  bench.started("r1");
  driver.says("uuid=GPU-a minor=3 total=1000 used=900000000 pids=" + stranger.pid() + ":900000000\n");
  test::write(job.folder + "/go", "");
  bench.outcome("r1");
  REQUIRE(test::eventually([&] { return bench.held().size() >= 2; }));
  CHECK_FALSE(bench.has_freed("runs/r1"));
  const std::string who = "GPU GPU-a is not free after launch runs/r1: process " + stranger.pid() + " (game, user ";
  REQUIRE(!bench.waits().empty());
  CHECK_THAT(bench.waits()[0], Catch::Matchers::StartsWith(who) && Catch::Matchers::EndsWith(") holds 900 MB"));
  CHECK_THAT(newest_words(bench.held()[0]),
             Catch::Matchers::StartsWith(who) && Catch::Matchers::EndsWith(" minutes after the run ended"));
  driver.says(two_devices);
  REQUIRE(test::eventually([&] { return bench.has_freed("runs/r1"); }));
  REQUIRE(test::eventually([&] { return bench.waits().back().empty(); }));
}

TEST_CASE(
    "a job that outlives its kernel holds its devices until it ended and they are free, though nobody adopts it") {
  const bool adopted = GENERATE(false, true);
  GpuDriver driver(two_devices);
  Bench bench;
  const auto job = gpu_job(bench, "r1", {"GPU-a"});
  bench.start(job);
  bench.started("r1");
  bench.replace_executor();
  CHECK(bench.held_devices() == std::map<std::string, Ids>{{"runs/r1", {"GPU-a"}}});
  if (adopted) bench.adopt(job);
  driver.says("uuid=GPU-a minor=3 total=1000 used=900000000 pids=\n");
  test::write(job.folder + "/go", "");
  REQUIRE(test::eventually([&] { return test::exists(bench.folder() / "home/runs/devices-r1"); }));
  CHECK_FALSE(bench.has_freed("runs/r1"));
  driver.says(two_devices);
  REQUIRE(test::eventually([&] { return bench.has_freed("runs/r1"); }));
  CHECK(bench.has_ended("r1") == adopted);
  CHECK_FALSE(test::exists(bench.folder() / "home/runs/devices-r1"));
}

TEST_CASE("a launch that never began holds no device: it is voided, so that it never begins") {
  const GpuDriver driver(two_devices);
  Bench bench;
  const auto ended = gpu_job(bench, "r1", {"GPU-a"});
  bench.start(ended);
  test::write(ended.folder + "/go", "");
  bench.outcome("r1");
  const auto job = bench.job("r2", "");
  for (const char* file : {"/job", "/gpus"}) test::write(job.folder + file, test::read(ended.folder + file));
  std::filesystem::remove_all(ended.folder);
  bench.replace_executor();
  CHECK(bench.held_devices().at("runs/r2") == Ids{"GPU-a"});
  REQUIRE(test::eventually([&] { return bench.has_freed("runs/r2"); }));
  CHECK(test::read(job.folder + "/claim").starts_with("void"));
}

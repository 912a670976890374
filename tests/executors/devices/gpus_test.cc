// Devices that a fake of NVIDIA's library tells of: the inventory, what a sandbox shows of them, and what a run's
// meters say. tests/fakes/nvml_fake.c has the form of its file.
#include <cstdlib>
#include <filesystem>
#include <set>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/local/gpu_holders.h"
#include "executors/local/job_environment.h"
#include "executors/local/local_backend.h"
#include "executors/local/run_devices.h"
#include "executors/sandbox/sandbox.h"
#include "programs/run_program.h"
#include "tests/executors/fixture.h"
#include "tests/places.h"

namespace {

using executors::Gpu;
using executors::Nvml;
using test::Bench;

const std::string present_library = tests::build_dir() + "/nvml_fake.so";
const std::string old_library = tests::build_dir() + "/nvml_fake_old.so";
constexpr char two_devices[] =
    "uuid=GPU-a name=A100 minor=3 pci=0:3b:0 total=1000 used=10 energy=5000 share=0 pids=\n"
    "uuid=GPU-b name=A100 minor=1 pci=1:af:0 total=2000 used=20 energy=7000 share=0 pids=77\n";

/// The devices of this machine, while it lives.
class Driver {
 public:
  explicit Driver(const std::string& devices, const std::string& library = present_library) {
    says(devices);
    ::setenv("NVML_FAKE", (folder_ / "devices").c_str(), 1);
    ::setenv("ETUDE_NVML", library.c_str(), 1);
  }
  ~Driver() {
    ::unsetenv("NVML_FAKE");
    ::unsetenv("ETUDE_NVML");
  }
  void says(const std::string& devices) {
    test::write(folder_ / "devices.new", devices);
    std::filesystem::rename(folder_ / "devices.new", folder_ / "devices");
  }

 private:
  test::Folder folder_;
};

std::vector<std::string> ids(const std::vector<Gpu>& gpus) {
  std::vector<std::string> list;
  for (const Gpu& gpu : gpus) list.push_back(gpu.id());
  return list;
}

using Ids = std::vector<std::string>;

kernel::JobSpec gpu_job(const Bench& bench, const std::string& run, Ids gpus) {
  kernel::JobSpec job = bench.job(run, "until test -e ../go; do sleep 0.05; done; echo $CUDA_VISIBLE_DEVICES");
  job.resources.sandbox = kernel::SandboxMode::none;
  job.set["CUDA_VISIBLE_DEVICES"] = "0,1,2,3";
  job.gpus = std::move(gpus);
  return job;
}

}  // namespace

TEST_CASE("the driver's devices are known by uuid, and what they say is read as they say it") {
  const Driver driver(two_devices);
  const Nvml nvml;
  REQUIRE(nvml.missing().empty());
  const std::vector<Gpu> gpus = nvml.gpus();
  REQUIRE(ids(gpus) == Ids{"GPU-a", "GPU-b"});
  CHECK(gpus[1].index == 1);
  CHECK(gpus[1].name == "A100");
  CHECK(gpus[1].minor == 1);
  CHECK(gpus[1].pci == "0001:af:00.0");
  CHECK(gpus[1].memory_bytes == 2000);
  for (const char* id : {"GPU-b", "1"}) {
    CHECK(nvml.read(id).energy_mj == 7000);
    CHECK(nvml.read(id).memory_bytes == 20);
    CHECK(nvml.read(id).utilisation == 0);
    CHECK(nvml.processes(id) == std::vector<int>{77});
  }
  CHECK(nvml.versions() == std::map<std::string, std::string>{{"cuda", "12.2"}, {"driver", "535.104.05"}});
  const auto facts = machine_facts();
  CHECK(facts.at("driver") == "535.104.05");
  CHECK(facts.at("cuda") == "12.2");
  CHECK(facts.at("gpu") == "2 × A100");
  CHECK_FALSE(nvml.read("GPU-c").energy_mj);
  CHECK_FALSE(nvml.read("2").memory_bytes);
  CHECK_FALSE(nvml.processes("x"));
}

TEST_CASE("a missing library, function, driver or answer is an absent value and never a crash") {
  SECTION("no library") {
    const Nvml nvml("/nowhere/libnvidia-ml.so.1");
    CHECK(nvml.missing() == "/nowhere/libnvidia-ml.so.1: absent");
    CHECK(nvml.gpus().empty());
    CHECK_FALSE(nvml.read("0").energy_mj);
    CHECK_FALSE(nvml.processes("0"));
  }
  SECTION("another library") {
    const Nvml nvml("libc.so.6");
    CHECK(nvml.missing() == "libc.so.6: it has no nvmlInit_v2");
    CHECK(nvml.gpus().empty());
  }
  SECTION("no driver") {
    const Driver driver("init=9\n");
    const Nvml nvml;
    CHECK(nvml.missing() == present_library + ": Driver Not Loaded");
    CHECK(nvml.gpus().empty());
    CHECK_FALSE(nvml.read("0").memory_bytes);
  }
  SECTION("a library without energy counters") {
    const Driver driver(two_devices, old_library);
    const Nvml nvml;
    REQUIRE(nvml.gpus().size() == 2);
    CHECK_FALSE(nvml.read("GPU-a").energy_mj);
    CHECK(nvml.read("GPU-a").memory_bytes == 10);
    CHECK_FALSE(nvml.processes("GPU-a"));
  }
  SECTION("devices that say little, or nothing any more") {
    const Driver driver("uuid=GPU-a total=1\nlost\nuuid=GPU-c share=101 energy=3\n");
    const Nvml nvml;
    CHECK(ids(nvml.gpus()) == Ids{"GPU-a", "GPU-c"});
    CHECK_FALSE(nvml.read("GPU-a").energy_mj);
    CHECK_FALSE(nvml.read("GPU-a").memory_bytes);
    CHECK_FALSE(nvml.read("GPU-c").utilisation);
    CHECK(nvml.read("GPU-c").energy_mj == 3);
    CHECK_FALSE(nvml.gpus()[0].minor);
  }
}

TEST_CASE("more processes than expected are all listed, and those that hold nothing are not") {
  std::string pids, expected;
  std::vector<int> all;
  for (int pid = 200; pid < 330; ++pid) {
    pids += std::to_string(pid) + ":5,";
    all.push_back(pid);
  }
  const Driver driver("uuid=GPU-a pids=" + pids + "12:0,7\n");
  all.insert(all.begin(), 7);  // how much it holds is not known
  CHECK(Nvml().processes("GPU-a") == all);
}

TEST_CASE("a declaration is a number of devices or a list of them") {
  const auto parsed = [](const char* text) {
    const auto gpus = executors::parse_gpus(text);
    INFO(text);
    REQUIRE(gpus);
    return *gpus;
  };
  CHECK(ids(parsed("2")) == Ids{"0", "1"});
  CHECK(parsed("0").empty());
  CHECK(ids(parsed("0,3")) == Ids{"0", "3"});
  CHECK(ids(parsed("3,")) == Ids{"3"});
  CHECK(ids(parsed("GPU-5f1c:80G,1:512M")) == Ids{"GPU-5f1c", "1"});
  CHECK(parsed("GPU-5f1c:80G")[0].memory_bytes == 80ll << 30);
  CHECK(parsed("0:512")[0].memory_bytes == 512);
  CHECK_FALSE(parsed("0,1")[0].memory_bytes);
  for (const char* bad :
       {"", ",", "x", "-1", "0,0", "0:", "0:G", "0:0", "0:1P", "1,,2", "2000", "0:99999999999T", "GPU-a,GPU-a"})
    CHECK_FALSE(executors::parse_gpus(bad));
}

TEST_CASE("what is declared is completed by the driver, which must know it; without a driver it stands") {
  const auto inventory = [](const char* declaration) {
    const auto gpus = executors::gpu_inventory(declaration, Nvml());
    REQUIRE(gpus);
    return *gpus;
  };
  {
    const Driver driver(two_devices);
    CHECK(ids(inventory("")) == Ids{"GPU-a", "GPU-b"});
    CHECK(ids(inventory("1,")) == Ids{"GPU-b"});
    CHECK(inventory("1:5")[0].memory_bytes == 5);
    CHECK(inventory("1,")[0].memory_bytes == 2000);
    CHECK_FALSE(executors::gpu_inventory("3", Nvml()));
    CHECK_FALSE(executors::gpu_inventory("0,GPU-a", Nvml()));
    CHECK(executors::gpu_inventory("GPU-c,", Nvml()).problem().why == "this machine's driver knows no GPU-c");
  }
  const Driver none("init=9\n");
  CHECK(inventory("").empty());
  CHECK(ids(inventory("2")) == Ids{"0", "1"});
  CHECK(ids(*executors::leased_gpus({"1"}, Nvml())) == Ids{"1"});
  CHECK_FALSE(executors::leased_gpus({"GPU-a"}, Nvml()));
}

TEST_CASE("a sandbox shows the nodes and bus entries of the leased devices, and of no other") {
  if (!test::has_sandbox()) return;
  const Driver driver(two_devices);
  const test::Folder root;
  for (const char* node : {"nvidia1", "nvidia3", "nvidiactl", "nvidia-uvm", "nvidia-modeset"})
    test::write(root / ("dev/" + std::string(node)), node);
  for (const char* device : {"pci0000:3a/0000:3b:00.0", "pci0001:ae/0001:af:00.0"}) {
    const std::filesystem::path path = "/sys/devices/" + std::string(device);
    test::write(root / (path.string() + "/numa_node"), "1\n");
    std::filesystem::create_directories(root / "sys/bus/pci/devices");
    std::filesystem::create_symlink("../../../devices/" + std::string(device),
                                    root / ("sys/bus/pci/devices/" + path.filename().string()));
  }
  const auto leased = executors::leased_gpus({"0"}, Nvml());
  REQUIRE(leased);
  CHECK(executors::visible_devices(*leased) == "GPU-a");

  Bench bench;
  executors::SystemFiles system;
  const auto seen_with = [&](const executors::GpuNodes& nodes, const std::string& command) {
    kernel::JobSpec spec = bench.job("r1", "");
    for (const char* folder : {"tmp", "work", "out"}) std::filesystem::create_directories(spec.folder + "/" + folder);
    for (const char* file : {"metrics.jsonl", "params.json"}) test::write(spec.folder + "/" + file, "");
    std::vector<std::string> argv{"/usr/bin/bwrap"};
    for (std::string& word : executors::plan_sandbox(spec, system, spec.folder + "/out", nodes).arguments)
      argv.push_back(std::move(word));
    argv.insert(argv.end(), {"--", "/bin/sh", "-c", command});
    const auto ran = programs::run_program({.argv = argv, .environment = {{"PATH", "/usr/bin:/bin"}}});
    REQUIRE(ran);
    INFO(ran->err);
    CHECK(ran->exit == 0);
    return ran->out;
  };
  const auto nodes = executors::gpu_nodes(*leased, root.path());
  CHECK(seen_with(nodes, "ls /dev | grep nvidia; cat /sys/bus/pci/devices/*/numa_node; ls /sys/bus/pci/devices") ==
        "nvidia-uvm\nnvidia3\nnvidiactl\n1\n0000:3b:00.0\n");
  CHECK(
      seen_with(executors::gpu_nodes({}, root.path()), "ls /dev | grep nvidia; ls /sys/bus 2>/dev/null; true").empty());
}

TEST_CASE("a job of root can use a leased device but not change its node") {
  if (!test::has_sandbox()) return;
  Bench bench;
  const std::string node = bench.folder() / "node";
  // A second /dev/full.
  const bool made = ::mknod(node.c_str(), S_IFCHR | 0600, ::makedev(1, 7)) == 0;
  const int opened = made ? ::open(node.c_str(), O_RDWR | O_CLOEXEC) : -1;
  if (opened < 0) {
    WARN("skipped, no device nodes can be made here");
    return;
  }
  ::close(opened);
  kernel::JobSpec spec = bench.job("r1", "");
  executors::SystemFiles system;
  executors::GpuNodes nodes;
  nodes.devices = {{node, "/dev/nvidia0"}};
  std::vector<std::pair<std::string, std::string>> keys = {
      {"token", "t"}, {"isolation", "sandbox"}, {"bwrap", "/usr/bin/bwrap"}};
  for (const std::string& word : executors::plan_sandbox(spec, system, spec.folder + "/out", nodes).arguments)
    keys.emplace_back("bwrap_argument", word);
  for (const char* word : {"/bin/sh", "-c", "head -c 3 <>/dev/nvidia0 | wc -c; chmod 777 /dev/nvidia0 || echo refused"})
    keys.emplace_back("argument", word);
  test::write(spec.folder + "/job", test::job_text(keys));
  test::write(spec.folder + "/params.json", "{}");
  CHECK(test::supervise(spec.folder) == 0);
  INFO(test::errors_of(spec));
  CHECK(test::output_of(spec) == "3\nrefused\n");
  struct stat about {};
  CHECK(::stat(node.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
}

TEST_CASE("a run's devices are metered from launch to end: energy, utilisation, memory; the lease names what it sees") {
  Driver driver(two_devices);
  Bench bench;
  const auto job = gpu_job(bench, "r1", {"GPU-a", "1"});
  bench.start(job);
  bench.started("r1");
  driver.says(
      "uuid=GPU-a minor=3 total=1000 used=600 energy=5250 share=40 pids=\n"
      "uuid=GPU-b minor=1 total=2000 used=500 energy=9001 share=80 pids=77\n");
  REQUIRE(test::eventually([&] { return test::read(job.folder + "/gpus").find("share_max=80") != std::string::npos; }));
  test::write(job.folder + "/go", "");
  const auto outcome = bench.outcome("r1");
  CHECK(test::output_of(job) == "GPU-a,GPU-b\n");
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
  Driver driver(two_devices);
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
  Driver driver(before + other);
  Bench bench;
  const auto job = gpu_job(bench, "r1", {"GPU-a", "GPU-b"});
  bench.start(job);
  bench.started("r1");
  driver.says(after + other);
  test::write(job.folder + "/go", "");
  CHECK_FALSE(bench.outcome("r1").usage.energy);
}

TEST_CASE("a run on a device that the driver does not know is not started") {
  const Driver driver(two_devices);
  Bench bench;
  const auto outcome = bench.run(gpu_job(bench, "r1", {"GPU-z"}));
  CHECK(outcome.end == kernel::JobEnd::failed_to_start);
  CHECK_THAT(newest_words(outcome.reason),
             Catch::Matchers::Contains("GPU-z") && Catch::Matchers::Contains("knows no such device"));
}

TEST_CASE("a device is free again when its memory is back and nobody came who holds some") {
  Driver driver(two_devices);
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
  Driver driver("uuid=GPU-a total=1000 used=10 pids=\n");
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
  query.nvml = present_library;
  const auto said = [&](const std::string& pids) {
    const Driver driver("uuid=GPU-a total=80000000000 used=10 pids=" + pids + "\n");
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
  Driver driver("uuid=GPU-a total=1 used=10 pids=\n");
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
  Driver driver(two_devices);
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

TEST_CASE("instances of a divided device are devices of their own, with the nodes that open them") {
  const Driver driver(
      "uuid=GPU-a minor=0 name=A100 pci=0:3b:0 total=80 mig=2\n"
      "uuid=MIG-1 name=1g.10gb total=10 used=1 gi=7 ci=0 pids=\n"
      "uuid=MIG-2 name=3g.40gb total=40 used=2 gi=2 ci=1 pids=5\n"
      "uuid=GPU-b minor=1 name=A100 total=80 mig=0\n");
  const Nvml nvml;
  const std::vector<Gpu> gpus = nvml.gpus();
  REQUIRE(ids(gpus) == Ids{"MIG-1", "MIG-2", "GPU-b"});
  CHECK(gpus[1].memory_bytes == 40);
  CHECK_FALSE(gpus[1].index);
  CHECK(gpus[1].minor == 0);
  CHECK(nvml.read("MIG-2").memory_bytes == 2);
  CHECK(nvml.processes("MIG-2") == std::vector<int>{5});
  const auto declared = executors::gpu_inventory("MIG-1,MIG-2", nvml);
  REQUIRE(declared);
  CHECK(ids(*declared) == Ids{"MIG-1", "MIG-2"});

  const test::Folder root;
  const std::string at = root / "proc/driver/nvidia/capabilities/gpu0/mig/gi2";
  test::write(at + "/access", "DeviceFileMinor: 21\nDeviceFileMode: 292\n");
  test::write(at + "/ci1/access", "DeviceFileMinor: 23\nDeviceFileMode: 292\n");
  for (const char* node : {"nvidia0", "nvidia1", "nvidiactl", "nvidia-caps/nvidia-cap21", "nvidia-caps/nvidia-cap23",
                           "nvidia-caps/nvidia-cap22"})
    test::write(root / (std::string("dev/") + node), "");
  Ids shown;
  for (const auto& [outside, inside] : executors::gpu_nodes({gpus[1]}, root.path()).devices) shown.push_back(inside);
  CHECK(shown ==
        Ids{"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-caps/nvidia-cap21", "/dev/nvidia-caps/nvidia-cap23"});
}

TEST_CASE("a share is told to the job, and enforced where NVIDIA's server runs") {
  const test::Folder folder;
  kernel::JobSpec spec;
  spec.resources.gpus = 1;
  spec.resources.gpu_share = 250;
  std::map<std::string, std::string> environment{{"XLA_PYTHON_CLIENT_MEM_FRACTION", "0.1"}};
  executors::add_share(spec, 80'000'000'000, "", environment);
  CHECK(environment == std::map<std::string, std::string>{{"ETUDE_GPU_MEMORY", "20000000000"},
                                                          {"ETUDE_GPU_SHARE", "0.25"},
                                                          {"XLA_PYTHON_CLIENT_MEM_FRACTION", "0.1"}});
  const std::map<std::string, std::string> own{{"CUDA_MPS_PIPE_DIRECTORY", folder.path()}};
  CHECK(executors::mps_folder(own).empty());
  test::write(folder / "nvidia-cuda-mps-control.pid", std::to_string(::getpid()) + "\n");
  CHECK(executors::mps_folder(own) == folder.path());
  test::write(folder / "nvidia-cuda-mps-control.pid", "4194305\n");
  CHECK(executors::mps_folder(own).empty());
  environment.clear();
  executors::add_share(spec, 80'000'000'000, folder.path(), environment);
  CHECK(environment.at("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") == "25");
  CHECK(environment.at("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT") == "0=19073M");
  CHECK(environment.at("CUDA_MPS_PIPE_DIRECTORY") == folder.path());
  CHECK(environment.at("XLA_PYTHON_CLIENT_MEM_FRACTION") == "0.225");
}

TEST_CASE("runs on several devices meet at ports of their own; with one device a job gets none") {
  const Driver driver(two_devices);
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

TEST_CASE(
    "a job that outlives its kernel holds its devices until it ended and they are free, though nobody adopts it") {
  const bool adopted = GENERATE(false, true);
  Driver driver(two_devices);
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
  const Driver driver(two_devices);
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

TEST_CASE("without a lease a job sees no device; with one the study cannot change which") {
  kernel::JobSpec spec;
  spec.token = kernel::LaunchToken("token");
  const auto visible = [&spec] { return executors::job_environment(spec, {}, {})["CUDA_VISIBLE_DEVICES"]; };
  CHECK(visible().empty());
  spec.gpus = {"0", "2"};
  spec.set["CUDA_VISIBLE_DEVICES"] = "1";
  CHECK(visible() == "0,2");
}

// Which GPUs a machine has, what a sandbox shows of them, and what a job is told of its own.
#include <filesystem>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "executors/devices/machine.h"
#include "executors/local/job_environment.h"
#include "executors/sandbox/sandbox.h"
#include "programs/run_program.h"
#include "tests/executors/devices/gpu_driver.h"

namespace {

using executors::Gpu;
using executors::Nvml;
using test::Bench;
using test::gpu_ids;
using test::GpuDriver;
using test::Ids;
using test::nvml_fake;
using test::nvml_fake_old;
using test::two_devices;

}  // namespace

TEST_CASE("the driver's devices are known by uuid, and what they say is read as they say it") {
  const GpuDriver driver(two_devices);
  const Nvml nvml;
  REQUIRE(nvml.missing().empty());
  const std::vector<Gpu> gpus = nvml.gpus();
  REQUIRE(gpu_ids(gpus) == Ids{"GPU-a", "GPU-b"});
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
  const auto facts = executors::machine_facts();
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
    const GpuDriver driver("init=9\n");
    const Nvml nvml;
    CHECK(nvml.missing() == nvml_fake + ": Driver Not Loaded");
    CHECK(nvml.gpus().empty());
    CHECK_FALSE(nvml.read("0").memory_bytes);
  }
  SECTION("a library without energy counters") {
    const GpuDriver driver(two_devices, nvml_fake_old);
    const Nvml nvml;
    REQUIRE(nvml.gpus().size() == 2);
    CHECK_FALSE(nvml.read("GPU-a").energy_mj);
    CHECK(nvml.read("GPU-a").memory_bytes == 10);
    CHECK_FALSE(nvml.processes("GPU-a"));
  }
  SECTION("devices that say little, or nothing any more") {
    const GpuDriver driver("uuid=GPU-a total=1\nlost\nuuid=GPU-c share=101 energy=3\n");
    const Nvml nvml;
    CHECK(gpu_ids(nvml.gpus()) == Ids{"GPU-a", "GPU-c"});
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
  const GpuDriver driver("uuid=GPU-a pids=" + pids + "12:0,7\n");
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
  CHECK(gpu_ids(parsed("2")) == Ids{"0", "1"});
  CHECK(parsed("0").empty());
  CHECK(gpu_ids(parsed("0,3")) == Ids{"0", "3"});
  CHECK(gpu_ids(parsed("3,")) == Ids{"3"});
  CHECK(gpu_ids(parsed("GPU-5f1c:80G,1:512M")) == Ids{"GPU-5f1c", "1"});
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
    const GpuDriver driver(two_devices);
    CHECK(gpu_ids(inventory("")) == Ids{"GPU-a", "GPU-b"});
    CHECK(gpu_ids(inventory("1,")) == Ids{"GPU-b"});
    CHECK(inventory("1:5")[0].memory_bytes == 5);
    CHECK(inventory("1,")[0].memory_bytes == 2000);
    CHECK_FALSE(executors::gpu_inventory("3", Nvml()));
    CHECK_FALSE(executors::gpu_inventory("0,GPU-a", Nvml()));
    CHECK(executors::gpu_inventory("GPU-c,", Nvml()).problem().why == "this machine's driver knows no GPU-c");
  }
  const GpuDriver none("init=9\n");
  CHECK(inventory("").empty());
  CHECK(gpu_ids(inventory("2")) == Ids{"0", "1"});
  CHECK(gpu_ids(*executors::leased_gpus({"1"}, Nvml())) == Ids{"1"});
  CHECK_FALSE(executors::leased_gpus({"GPU-a"}, Nvml()));
}

TEST_CASE("a sandbox shows the nodes and bus entries of the leased devices, and of no other") {
  if (!test::has_sandbox()) return;
  const GpuDriver driver(two_devices);
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

TEST_CASE("instances of a divided device are devices of their own, with the nodes that open them") {
  const GpuDriver driver(
      "uuid=GPU-a minor=0 name=A100 pci=0:3b:0 total=80 mig=2\n"
      "uuid=MIG-1 name=1g.10gb total=10 used=1 gi=7 ci=0 pids=\n"
      "uuid=MIG-2 name=3g.40gb total=40 used=2 gi=2 ci=1 pids=5\n"
      "uuid=GPU-b minor=1 name=A100 total=80 mig=0\n");
  const Nvml nvml;
  const std::vector<Gpu> gpus = nvml.gpus();
  REQUIRE(gpu_ids(gpus) == Ids{"MIG-1", "MIG-2", "GPU-b"});
  CHECK(gpus[1].memory_bytes == 40);
  CHECK_FALSE(gpus[1].index);
  CHECK(gpus[1].minor == 0);
  CHECK(nvml.read("MIG-2").memory_bytes == 2);
  CHECK(nvml.processes("MIG-2") == std::vector<int>{5});
  const auto declared = executors::gpu_inventory("MIG-1,MIG-2", nvml);
  REQUIRE(declared);
  CHECK(gpu_ids(*declared) == Ids{"MIG-1", "MIG-2"});

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

TEST_CASE("without a lease a job sees no device; with one the study cannot change which") {
  kernel::JobSpec spec;
  spec.token = kernel::LaunchToken("token");
  const auto visible = [&spec] { return executors::job_environment(spec, {}, {})["CUDA_VISIBLE_DEVICES"]; };
  CHECK(visible().empty());
  spec.gpus = {"0", "2"};
  spec.set["CUDA_VISIBLE_DEVICES"] = "1";
  CHECK(visible() == "0,2");
}

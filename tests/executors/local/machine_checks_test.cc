#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "executors/local/local_backend.h"
#include "tests/executors/fixture.h"

using namespace executors;
using test::Folder;

namespace {

MachineQuery query_at(const Folder& temp) {
  return {.path = temp / "bin",
          .supervisor = temp / "self/etude-supervisor",
          .devices = temp / "dev",
          .cgroups = temp / "cgroup",
          .own_cgroup = temp / "own",
          .powercap = temp / "powercap",
          .nvml = temp / "nvml.so"};
}

MachineCheck check(const std::string& name, const MachineQuery& query) {
  for (const MachineCheck& check : machine_checks(query))
    if (check.name == name) return check;
  FAIL("there is no check of " + name);
  return {};
}

}  // namespace

TEST_CASE("without its supervisor etude cannot start a run") {
  const Folder temp;
  CHECK(check("supervisor", query_at(temp)).health == Health::missing);
  test::write(temp / "self/etude-supervisor", "#!/bin/sh\n");
  chmod((temp / "self/etude-supervisor").c_str(), 0755);
  CHECK(check("supervisor", query_at(temp)).health == Health::ok);
}

TEST_CASE("a missing bubblewrap is a warning that names its package, and what holds jobs instead") {
  const Folder temp;
  const MachineCheck sandbox = check("sandbox", query_at(temp));
  CHECK(sandbox.health == Health::warn);
  CHECK(sandbox.detail.find("jobs are held by ") != std::string::npos);
  CHECK(sandbox.detail.find("no_new_privs") != std::string::npos);
  CHECK(sandbox.remedy.find("apt-get install bubblewrap") != std::string::npos);
}

TEST_CASE("why there is no sandbox is named, with the one thing to do about it") {
  const Folder temp;
  MachineQuery query = query_at(temp);
  query.settings = (temp / "sys");
  const auto bwrap = [&](const std::string& version, const std::string& says) {
    test::write(temp / "bin/bwrap", "#!/bin/sh\n[ \"$1\" = --version ] && echo '" + version + "' && exit\necho '" +
                                        says + "' >&2\nexit 1\n");
    chmod((temp / "bin/bwrap").c_str(), 0755);
  };
  const std::string refused = "bwrap: No permissions to create new namespace";
  const auto names = [&](const std::string& cause, const std::string& remedy) {
    const MachineCheck found = check("sandbox", query);
    INFO(found.detail << ": " << found.remedy);
    CHECK(found.health == Health::warn);
    CHECK(found.detail.find(cause) != std::string::npos);
    CHECK(found.remedy.find(remedy) != std::string::npos);
    CHECK(found.remedy.find("sandbox: require") != std::string::npos);
  };
  bwrap("bubblewrap 0.8.0", refused);
  names(refused, "");
  test::write(temp / "sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
  names("AppArmor keeps programs from using user namespaces",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
  test::write(temp / "sys/kernel/unprivileged_userns_clone", "0\n");
  names("unprivileged user namespaces are off", "sysctl -w kernel.unprivileged_userns_clone=1");
  test::write(temp / "sys/user/max_user_namespaces", "0\n");
  names("user namespaces are off (user.max_user_namespaces = 0)", "sysctl -w user.max_user_namespaces=15000");
  bwrap("bubblewrap 0.6.2", "bwrap: Unknown option --disable-userns");
  names("bubblewrap 0.6.2 is too old: it has no --disable-userns", "install bubblewrap 0.8.0 or newer");
}

TEST_CASE("energy counters are named, or what keeps them from being read") {
  const Folder temp;
  MachineQuery query = query_at(temp);
  const std::string root = query.powercap, no_driver = "; " + query.nvml + ": absent";
  CHECK(check("energy", query).detail == "energy counters: " + root + ": absent" + no_driver);
  test::write(temp / "powercap/intel-rapl:0/name", "package-0\n");
  test::write(temp / "powercap/intel-rapl:0/max_energy_range_uj", "1000\n");
  const std::string unread = root + "/intel-rapl:0/energy_uj: No such file or directory";
  CHECK(check("energy", query).detail == "energy counters: " + unread + no_driver);
  test::write(temp / "powercap/intel-rapl:0/energy_uj", "1\n");
  CHECK(check("energy", query).detail == "energy counters: " + root + ": package-0" + no_driver);
  query.variables["ETUDE_POWERCAP"] = query.powercap;
  query.powercap.clear();
  CHECK(check("energy", query).detail == "energy counters: " + root + ": package-0" + no_driver);
}

TEST_CASE("only numbered NVIDIA devices are GPUs") {
  const Folder temp;
  CHECK(check("gpu", query_at(temp)).detail == "none");
  for (const char* device : {"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia"})
    test::write(temp / (std::string("dev/") + device), "");
  CHECK(check("gpu", query_at(temp)).detail.find("2 NVIDIA devices") == 0);
}

TEST_CASE("a cgroup counts as delegated only where it is ours and holds the memory controller") {
  const Folder temp;
  const auto found = [&] { return check("cgroup", query_at(temp)).detail.substr(0, 24); };
  test::write(temp / "own", "4:memory:/user\n");
  CHECK(found().rfind("version 1", 0) == 0);
  test::write(temp / "own", "0::/user/me\n");
  CHECK(found() == "version 2, not delegated");
  test::write(temp / "cgroup/user/me/cgroup.procs", "");
  test::write(temp / "cgroup/user/me/cgroup.controllers", "cpu memory pids\n");
  CHECK(found().rfind("version 2, delegated", 0) == 0);
  test::write(temp / "cgroup/user/me/cgroup.controllers", "cpu pids\n");
  CHECK(found() == "version 2, not delegated");
}

TEST_CASE("whatever of the machine is not fine says how to mend it") {
  const Folder temp;
  for (const MachineCheck& check : machine_checks(query_at(temp))) {
    INFO(check.name);
    CHECK_FALSE(check.detail.empty());
    CHECK((check.health == Health::ok || !check.remedy.empty()));
  }
}

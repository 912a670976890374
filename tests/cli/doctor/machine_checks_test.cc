#include "apps/cli/doctor/machine_checks.h"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "tests/cli/draft/temp_folder.h"

using namespace cli;

namespace {

MachineQuery query_at(const test::TempFolder& temp) {
  MachineQuery query;
  query.home = temp.path("home");
  query.path = temp.path("bin");
  query.self = temp.path("self");
  query.devices = temp.path("dev");
  query.cgroups = temp.path("cgroup");
  query.own_cgroup = temp.path("own");
  query.powercap = temp.path("powercap");
  query.nvml = temp.path("nvml.so");
  return query;
}

void write_program(const test::TempFolder& temp, const std::string& path, const std::string& says) {
  temp.write(path, "#!/bin/sh\necho '" + says + "'\n");
  chmod(temp.path(path).c_str(), 0755);
}

}  // namespace

TEST_CASE("without its supervisor etude cannot start a run") {
  const test::TempFolder temp;
  CHECK(check_supervisor(query_at(temp)).health == Health::missing);
  write_program(temp, "self/etude-supervisor", "");
  CHECK(check_supervisor(query_at(temp)).health == Health::ok);
}

TEST_CASE("a home that does not exist yet is judged by the folder that would hold it, and not made") {
  const test::TempFolder temp;
  const MachineCheck check = check_home(query_at(temp));
  CHECK(check.health != Health::missing);
  CHECK(check.detail.find(temp.path("home") + " on ") == 0);
  CHECK_FALSE(std::filesystem::exists(temp.path("home")));
}

TEST_CASE("a home below a file is no home") {
  const test::TempFolder temp;
  temp.write("home", "a file");
  MachineQuery query = query_at(temp);
  query.home += "/below";
  const MachineCheck check = check_home(query);
  CHECK(check.health == Health::missing);
  CHECK(check.remedy.find("--home") != std::string::npos);
}

TEST_CASE("a missing bubblewrap is something studies cannot do without, and names its package") {
  const test::TempFolder temp;
  const MachineCheck check = check_sandbox(query_at(temp));
  CHECK(check.health == Health::missing);
  CHECK(check.remedy.find("apt-get install bubblewrap") != std::string::npos);
}

TEST_CASE("why there is no sandbox is named, with the one thing to do about it") {
  const test::TempFolder temp;
  MachineQuery query = query_at(temp);
  query.settings = temp.path("sys");
  const auto bwrap = [&](const std::string& version, const std::string& says) {
    temp.write("bin/bwrap", "#!/bin/sh\n[ \"$1\" = --version ] && echo '" + version + "' && exit\necho '" + says +
                                "' >&2\nexit 1\n");
    chmod(temp.path("bin/bwrap").c_str(), 0755);
  };
  const std::string refused = "bwrap: No permissions to create new namespace";
  const auto check = [&](const std::string& cause, const std::string& remedy) {
    const MachineCheck found = check_sandbox(query);
    INFO(found.detail << ": " << found.remedy);
    CHECK(found.health == Health::missing);
    CHECK(found.detail.find(cause) != std::string::npos);
    CHECK(found.remedy.find(remedy) != std::string::npos);
    CHECK(found.remedy.find("sandbox: none") != std::string::npos);
  };
  bwrap("bubblewrap 0.8.0", refused);
  check(refused, "");
  temp.write("sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
  check("AppArmor keeps programs from using user namespaces",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
  temp.write("sys/kernel/unprivileged_userns_clone", "0\n");
  check("unprivileged user namespaces are off", "sysctl -w kernel.unprivileged_userns_clone=1");
  temp.write("sys/user/max_user_namespaces", "0\n");
  check("user namespaces are off (user.max_user_namespaces = 0)", "sysctl -w user.max_user_namespaces=15000");
  bwrap("bubblewrap 0.6.2", "bwrap: Unknown option --disable-userns");
  check("bubblewrap 0.6.2 is too old: it has no --disable-userns", "install bubblewrap 0.8.0 or newer");
}

TEST_CASE("optional programs are named with their package when they are missing, and with their version when not") {
  const test::TempFolder temp;
  CHECK(check_gnuplot(query_at(temp)).health == Health::warn);
  CHECK(check_gnuplot(query_at(temp)).remedy == "apt-get install gnuplot-nox");
  CHECK(check_graphviz(query_at(temp)).remedy == "apt-get install graphviz");
  CHECK(check_interpreter(query_at(temp)).health == Health::warn);
  write_program(temp, "bin/gnuplot", "gnuplot 5.4");
  CHECK(check_gnuplot(query_at(temp)).detail == "gnuplot 5.4 (" + temp.path("bin/gnuplot") + ")");
}

TEST_CASE("the format's own checker is named where it is installed") {
  const test::TempFolder temp;
  CHECK(check_ara(query_at(temp)).detail.find("not installed") != std::string::npos);
  write_program(temp, "bin/ara", "ara 1.0");
  CHECK(check_ara(query_at(temp)).detail == temp.path("bin/ara"));
}

TEST_CASE("energy counters are named, or what keeps them from being read") {
  const test::TempFolder temp;
  MachineQuery query = query_at(temp);
  const std::string root = query.powercap, no_driver = "; " + query.nvml + ": absent";
  CHECK(check_energy(query).detail == "energy counters: " + root + ": absent" + no_driver);
  temp.write("powercap/intel-rapl:0/name", "package-0\n");
  temp.write("powercap/intel-rapl:0/max_energy_range_uj", "1000\n");
  const std::string unread = root + "/intel-rapl:0/energy_uj: No such file or directory";
  CHECK(check_energy(query).detail == "energy counters: " + unread + no_driver);
  temp.write("powercap/intel-rapl:0/energy_uj", "1\n");
  CHECK(check_energy(query).detail == "energy counters: " + root + ": package-0" + no_driver);
  query.variables["ETUDE_POWERCAP"] = query.powercap;
  query.powercap.clear();
  CHECK(check_energy(query).detail == "energy counters: " + root + ": package-0" + no_driver);
}

TEST_CASE("only numbered NVIDIA devices are GPUs") {
  const test::TempFolder temp;
  CHECK(check_gpus(query_at(temp)).detail == "none");
  for (const char* device : {"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia"})
    temp.write(std::string("dev/") + device, "");
  CHECK(check_gpus(query_at(temp)).detail.find("2 NVIDIA devices") == 0);
}

TEST_CASE("a cgroup counts as delegated only where it is ours and holds the memory controller") {
  const test::TempFolder temp;
  const auto found = [&] { return check_cgroup(query_at(temp)).detail.substr(0, 24); };
  temp.write("own", "4:memory:/user\n");
  CHECK(found().rfind("version 1", 0) == 0);
  temp.write("own", "0::/user/me\n");
  CHECK(found() == "version 2, not delegated");
  temp.write("cgroup/user/me/cgroup.procs", "");
  temp.write("cgroup/user/me/cgroup.controllers", "cpu memory pids\n");
  CHECK(found().rfind("version 2, delegated", 0) == 0);
  temp.write("cgroup/user/me/cgroup.controllers", "cpu pids\n");
  CHECK(found() == "version 2, not delegated");
}

TEST_CASE("an interpreter that a run could not use is a warning that names it") {
  const test::TempFolder temp;
  write_program(temp, "bin/python3", "not a Python at all");
  MachineQuery query = query_at(temp);
  query.variables = {{"PATH", query.path}};
  const MachineCheck check = check_interpreter(query);
  CHECK(check.health == Health::warn);
  CHECK(check.detail.find("python3") != std::string::npos);
}

TEST_CASE("whatever is not fine says how to mend it") {
  const test::TempFolder temp;
  for (const MachineCheck& check : machine_checks(query_at(temp))) {
    INFO(check.name);
    CHECK_FALSE(check.detail.empty());
    CHECK((check.health == Health::ok || !check.remedy.empty()));
  }
}

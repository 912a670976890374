// Real supervisors over a powercap tree that the test winds up like a clock: what comes out must be right to the
// microjoule, or nothing.
#include <cstdlib>
#include <filesystem>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "executors/local/run_folder.h"
#include "tests/executors/fixture.h"

namespace {

using test::Bench;

/// The counters of a machine. A value is replaced in one write, so that nobody reads half of it.
class Powercap {
 public:
  Powercap() { ::setenv("ETUDE_POWERCAP", folder_.path().c_str(), 1); }
  ~Powercap() { ::unsetenv("ETUDE_POWERCAP"); }

  void zone(const std::string& number, const std::string& name, std::int64_t value, std::int64_t range) {
    const std::string zone = folder_ / ("intel-rapl:" + number);
    test::write(zone + "/name", name + "\n");
    test::write(zone + "/max_energy_range_uj", std::to_string(range) + "\n");
    set(number, value);
  }
  void set(const std::string& number, std::int64_t value) {
    const std::string file = energy(number), fresh = file + ".new";
    test::write(fresh, std::to_string(value) + "\n");
    std::filesystem::rename(fresh, file);
  }
  /// Waits until somebody has read the value that was set last.
  void until_read(const std::string& number) const {
    const int events = ::inotify_init1(IN_CLOEXEC);
    REQUIRE(::inotify_add_watch(events, energy(number).c_str(), IN_CLOSE_NOWRITE) >= 0);
    pollfd read{events, POLLIN, 0};
    const int found = ::poll(&read, 1, 240'000);
    ::close(events);
    REQUIRE(found == 1);
  }
  /// Leaves something there that no user can read.
  void make_unreadable(const std::string& number) {
    std::filesystem::remove(energy(number));
    std::filesystem::create_directory(energy(number));
  }
  void remove(const std::string& number) { std::filesystem::remove_all(folder_ / ("intel-rapl:" + number)); }
  std::string energy(const std::string& number) const { return folder_ / ("intel-rapl:" + number + "/energy_uj"); }
  const std::string& root() const { return folder_.path(); }

 private:
  test::Folder folder_;
};

constexpr std::int64_t range = 262143328850;

/// Two sockets with memory, their cores, and the platform that holds them all once more.
void wind_up(Powercap& machine) {
  machine.zone("0", "package-0", 1000, range);
  machine.zone("0:0", "core", 5, range);
  machine.zone("0:1", "dram", 65712999613 - 7, 65712999613);
  machine.zone("1", "package-1", range - 100, range);
  machine.zone("1:0", "dram", 0, 65712999613);
  machine.zone("2", "psys", 1, range);
}

/// A job that runs until the test says so, on the test's own word.
kernel::JobSpec waiting_job(const Bench& bench, const std::string& run) {
  kernel::JobSpec job = bench.job(run, "until test -e ../go; do sleep 0.05; done");
  job.resources.sandbox = kernel::SandboxMode::none;
  return job;
}

kernel::JobOutcome let_go(Bench& bench, const kernel::JobSpec& job) {
  test::write(job.folder + "/go", "");
  return bench.outcome(job.run);
}

std::string left_in(const kernel::JobSpec& job, const std::string& key) {
  const std::string text = test::read(job.folder + "/outcome");
  const std::size_t at = text.find("\n" + key + "=");
  return at == text.npos ? "" : text.substr(at + key.size() + 2, text.find('\n', at + 1) - at - key.size() - 2);
}

}  // namespace

TEST_CASE(
    "a run's energy is what every package and its memory went up by, over a turn of the counter, to the microjoule") {
  Powercap machine;
  wind_up(machine);
  Bench bench;
  const auto job = waiting_job(bench, "r1");
  bench.start(job);
  bench.started("r1");
  machine.set("0", 1000 + 123456789);
  machine.set("0:0", 99999);
  machine.set("0:1", 3);
  machine.set("1", 250);
  machine.set("1:0", 1);
  machine.set("2", 77777);
  const auto outcome = let_go(bench, job);
  REQUIRE(outcome.usage.energy);
  const kernel::Energy& energy = *outcome.usage.energy;
  const std::map<std::string, double> expected = {
      {"package-0", 123.456789}, {"package-0.dram", 0.00001}, {"package-1", 0.00035}, {"package-1.dram", 0.000001}};
  CHECK(energy.counters == expected);
  CHECK(energy.joules() == 123.45715);
  CHECK(energy.source == "rapl:package-0+package-0.dram+package-1+package-1.dram");
  CHECK(left_in(job, "energy_uj.package-0.dram") == "10");
  CHECK(energy.from_ms >= outcome.started_ms);
  CHECK(energy.to_ms <= outcome.ended_ms);
  CHECK(energy.to_ms >= energy.from_ms);
  CHECK(energy.exclusive);
}

TEST_CASE("a counter may turn more than once in a run, since it is looked at between the turns") {
  Powercap machine;
  machine.zone("0", "package-0", 900, 1000);
  Bench bench;
  const auto job = waiting_job(bench, "r1");
  bench.start(job);
  bench.started("r1");
  for (const int value : {100, 950}) {
    machine.set("0", value);
    machine.until_read("0");
  }
  machine.set("0", 50);
  const auto outcome = let_go(bench, job);
  REQUIRE(outcome.usage.energy);
  CHECK(left_in(job, "energy_uj.package-0") == "1150");
}

TEST_CASE("the energy of a job in the sandbox is metered as well, and the job sees no counter") {
  if (!test::has_sandbox()) return;
  Powercap machine;
  machine.zone("0", "package-0", 1000, range);
  Bench bench;
  const auto job = bench.job(
      "r1", "ls " + machine.root() + " /sys/class/powercap; until test -e $ETUDE_CHECKPOINT/go; do sleep 0.05; done");
  bench.start(job);
  bench.started("r1");
  machine.set("0", 4'001'000);
  test::write(job.folder + "/checkpoint/go", "");
  const auto outcome = bench.outcome("r1");
  REQUIRE(outcome.usage.energy);
  CHECK(outcome.usage.energy->joules() == 4);
  CHECK(test::output_of(job).empty());
}

TEST_CASE("a counter that cannot be read, is no number or vanishes leaves no energy at all, and says why") {
  Powercap machine;
  wind_up(machine);
  Bench bench;
  const auto job = waiting_job(bench, "r1");
  std::string why;
  bool vanishes = false;
  SECTION("unreadable from the start") {
    machine.make_unreadable("1:0");
    why = machine.energy("1:0") + ": Is a directory";
  }
  SECTION("no number") {
    test::write(machine.energy("0"), "much\n");
    why = machine.energy("0") + ": Invalid argument";
  }
  SECTION("no range: its turns could not be counted") {
    std::filesystem::remove(machine.root() + "/intel-rapl:1/max_energy_range_uj");
    why = machine.root() + "/intel-rapl:1/max_energy_range_uj: No such file or directory";
  }
  SECTION("a zone that vanishes while the job runs") {
    vanishes = true;
    why = "package-1: No such file or directory";
  }
  SECTION("only the platform") {
    for (const char* number : {"0", "0:0", "0:1", "1", "1:0"}) machine.remove(number);
    why = machine.root() + ": no intel-rapl:N zone is a package";
  }
  SECTION("nothing there") {
    std::filesystem::remove_all(machine.root());
    why = machine.root() + ": absent";
  }
  bench.start(job);
  bench.started("r1");
  if (vanishes) machine.remove("1");
  const auto outcome = let_go(bench, job);
  CHECK(outcome.end == kernel::JobEnd::exited);
  CHECK_FALSE(outcome.usage.energy);
  CHECK(left_in(job, "energy_missing") == why);
  CHECK(left_in(job, "energy_from").empty());
}

TEST_CASE("a run that another one overlapped is not exclusive, nor is one that was adopted") {
  Powercap machine;
  machine.zone("0", "package-0", 1000, range);
  Bench bench;
  const auto first = waiting_job(bench, "r1"), second = waiting_job(bench, "r2"), third = waiting_job(bench, "r3");
  for (const auto& job : {first, second}) {
    bench.start(job);
    bench.started(job.run);
  }
  const auto early = let_go(bench, first);
  const auto late = let_go(bench, second);
  REQUIRE(early.usage.energy);
  REQUIRE(late.usage.energy);
  CHECK_FALSE(early.usage.energy->exclusive);
  CHECK_FALSE(late.usage.energy->exclusive);

  bench.start(third);
  bench.started("r3");
  bench.replace_executor();
  bench.adopt(third);
  const auto adopted = let_go(bench, third);
  REQUIRE(adopted.usage.energy);
  CHECK_FALSE(adopted.usage.energy->exclusive);
}

TEST_CASE("an outcome of a supervisor that knew no counters has no energy") {
  const auto read = [](const std::string& lines) {
    const test::Folder folder;
    test::write(folder / "outcome", "etude-outcome 1\ntoken=t\nend=exited\nstarted=1\nended=2\n" + lines);
    const int fd = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const auto outcome = executors::read_outcome(fd, "r1", kernel::LaunchToken("t"));
    ::close(fd);
    REQUIRE(outcome);
    return outcome->usage.energy;
  };
  CHECK_FALSE(read(""));
  CHECK_FALSE(read("energy_missing=/sys/class/powercap: absent\n"));
  CHECK_FALSE(read("energy_uj.package-0=5\n"));  // of no window
  CHECK_FALSE(read("energy_uj.package-0=5\nenergy_uj.package-1=x\nenergy_from=1\nenergy_to=2\n"));
  const auto energy = read("energy_uj.package-0=5\nenergy_uj.package-1=7\nenergy_from=1\nenergy_to=2\n");
  REQUIRE(energy);
  CHECK(energy->joules() == 0.000012);
}

// The process that starts supervisors: what it holds together, and what goes on without it.
#include <filesystem>
#include <fstream>
#include <thread>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executors/local/run_folder.h"
#include "executors/local/supervisor_process.h"
#include "executors/run_protocol/process_tree.h"
#include "executors/sandbox/sandbox.h"
#include "tests/executors/fixture.h"
#include "tests/places.h"

namespace {

using Catch::Matchers::Contains;
using test::Bench;

const std::string program_of_residents = tests::build_dir() + "/etude-supervisor";

/// Those of this process.
std::vector<int> residents() {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string words = test::read(entry.path() / "cmdline");
    if (words.find(std::string("\0--resident\0", 12)) == std::string::npos) continue;
    if (test::read(entry.path() / "status").find("\nPPid:\t" + std::to_string(getpid()) + "\n") != std::string::npos)
      found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

/// Waits for the supervisor's end; what its job printed.
std::string end_of(executors::Resident& resident, const kernel::JobSpec& spec) {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const supervisor::Fd ours(ends[0]), theirs(ends[1]);
  const auto answer = resident.start(spec.folder, theirs.get());
  REQUIRE(answer);
  REQUIRE(answer->pidfd);
  pollfd waiting{answer->pidfd.get(), POLLIN, 0};
  REQUIRE(poll(&waiting, 1, 240000) == 1);
  return test::output_of(spec) + test::errors_of(spec);
}

/// The process that made the launch's claim.
int claimed_by(const kernel::JobSpec& spec) {
  const supervisor::Fd folder(open(spec.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto claim = executors::read_claim(folder.get());
  REQUIRE(claim);
  return claim->pid;
}

/// A job that tries to change device nodes.
kernel::JobSpec meddling(const Bench& bench, const std::string& run) {
  const kernel::JobSpec spec = bench.job(run, "");
  std::filesystem::create_directories(spec.folder + "/checkpoint");
  std::vector<std::pair<std::string, std::string>> keys = {
      {"token", "t"}, {"isolation", "sandbox"}, {"bwrap", "/usr/bin/bwrap"}};
  executors::SystemFiles system;
  for (const std::string& word : executors::plan_sandbox(spec, system, spec.folder + "/checkpoint").arguments)
    keys.emplace_back("bwrap_argument", word);
  for (const char* word : {"/bin/sh", "-c", "for n in null full; do chmod 666 /dev/$n || echo refused; done"})
    keys.emplace_back("argument", word);
  test::write(spec.folder + "/job", test::job_text(keys));
  test::write(spec.folder + "/params.json", "{}");
  return spec;
}

}  // namespace

TEST_CASE("jobs go on when the process that started their supervisors is killed, and others are started") {
  if (!test::has_sandbox()) return;
  Bench bench;
  const auto before = bench.job("before", "until test -e $ETUDE_CHECKPOINT/go; do sleep 0.05; done; echo done");
  bench.start(before);
  bench.started("before");
  const std::vector<int> first = residents();
  REQUIRE(first.size() == 1);
  kill(first[0], SIGKILL);
  CHECK(bench.run("after", "echo done").end == kernel::JobEnd::exited);
  test::write(before.folder + "/checkpoint/go", "");
  CHECK(bench.outcome("before").end == kernel::JobEnd::exited);
  CHECK(test::output_of(before) == "done\n");
  CHECK(residents() != first);
}

TEST_CASE("supervisors are started by one process, look like themselves, and leave nothing behind") {
  if (!test::has_sandbox()) return;
  {
    Bench bench;
    const auto spec = bench.job("r1", "sleep 1000");
    bench.start(spec);
    bench.start(bench.job("r2", "sleep 1000"));
    bench.started("r1"), bench.started("r2");
    CHECK(residents().size() == 1);
    CHECK(test::processes_with("etude-supervisor" + std::string(1, '\0') + spec.folder) == 1);
    bench.cancel("r1");
    CHECK(bench.outcome("r1").end == kernel::JobEnd::cancelled);
    // It is no child of ours, and nobody leaves it as a zombie.
    CHECK(test::eventually([&] { return test::processes_with(spec.folder) == 0; }));
    bench.cancel("r2");
    bench.outcome("r2");
  }
  CHECK(residents().empty());
}

TEST_CASE("where the process that starts supervisors answers nothing, each is started alone") {
  if (!test::has_sandbox()) return;
  Bench bench;
  bench.run("before", "true");
  const std::vector<int> first = residents();
  REQUIRE(first.size() == 1);
  kill(first[0], SIGSTOP);
  // What was asked of it may be done later; the claim sees to it that one of them runs the job.
  CHECK(bench.run("r1", "echo x >> \"$ETUDE_OUTPUT/times\"; sleep 0.1").end == kernel::JobEnd::exited);
  CHECK(test::read(bench.job("r1", "").folder + "/out/times") == "x\n");
}

TEST_CASE("a supervisor goes on with the next run, and counts for it what that run alone used") {
  if (!test::has_sandbox()) return;
  Bench bench;
  const auto outside = [&](const std::string& run, const std::string& commands) {
    kernel::JobSpec spec = bench.job(run, commands);
    spec.resources.sandbox = kernel::SandboxMode::none;
    return spec;
  };
  const std::string large = "/usr/bin/perl -e '$x = \"x\" x 100_000_000; $i++ while $i < 5_000_000'";
  const kernel::JobSpec first = outside("r1", large), second = outside("r2", "echo done");
  const kernel::JobOutcome much = bench.run(first), little = bench.run(second);
  CHECK(claimed_by(second) == claimed_by(first));
  CHECK(test::output_of(second) == "done\n");
  CHECK(much.usage.rss_peak_bytes > 100'000'000);
  CHECK(little.usage.rss_peak_bytes < 50'000'000);
  CHECK(little.usage.cpu_s < much.usage.cpu_s / 2);

  // One that was killed while it had no run is replaced, and one that was told to end runs nothing more.
  kill(claimed_by(second), SIGKILL);
  const kernel::JobSpec third = outside("r3", "echo done; exec sleep 1000");
  bench.start(third);
  bench.started("r3");
  CHECK(claimed_by(third) != claimed_by(second));
  bench.cancel("r3");
  CHECK(bench.outcome("r3").end == kernel::JobEnd::cancelled);
  const kernel::JobSpec fourth = outside("r4", "echo done");
  CHECK(bench.run(fourth).end == kernel::JobEnd::exited);
  CHECK(claimed_by(fourth) != claimed_by(third));
}

TEST_CASE("jobs without a sandbox have the namespaces of the last one, unless it left something in them") {
  if (!test::has_sandbox()) return;
  Bench bench;
  const auto outside = [&](const std::string& run, const std::string& commands) {
    kernel::JobSpec spec = bench.job(run, commands);
    spec.resources.sandbox = kernel::SandboxMode::none;
    return spec;
  };
  const auto init_after = [&](const std::string& run, const std::string& commands) {
    const kernel::JobSpec spec = outside(run, commands);
    CHECK(bench.run(spec).end == kernel::JobEnd::exited);
    return supervisor::first_child(claimed_by(spec));
  };
  const std::string numbers = "echo $$; sh -c 'echo $$'; echo /proc/[0-9]*; cat /proc/1/comm; cat /proc/1/cmdline";
  const int first = init_after("r1", numbers);
  REQUIRE(first > 0);
  CHECK(init_after("r2", numbers) == first);
  // The second sees nothing of the first: neither its numbers nor its name.
  const std::string seen = test::output_of(outside("r2", ""));
  CHECK(seen == test::output_of(outside("r1", "")));
  CHECK_THAT(seen, Catch::Matchers::StartsWith("2\n3\n/proc/1 /proc/2\netude-init\n") && !Contains("/r1"));

  // A process that is killed at the end, one that the init has reaped, and what only root can do: a mount.
  int last = first;
  std::vector<std::string> leaving = {"(setsid sleep 1000 &)", "(setsid true &); sleep 0.2"};
  if (geteuid() == 0) leaving.push_back("mount -t tmpfs none \"$ETUDE_OUTPUT\"");
  for (const std::string& command : leaving) {
    const std::string name = "r" + std::to_string(last);
    CHECK(init_after(name, command) != last);
    const int next = init_after(name + "b", "true");
    CHECK(next != last);
    last = next;
  }
}

TEST_CASE("a supervisor without a run leaves with its executor, and one with a run when that has ended") {
  if (!test::has_sandbox()) return;
  Bench bench;
  kernel::JobSpec brief = bench.job("r1", "true");
  kernel::JobSpec lasting = bench.job("r2", "until test -e $ETUDE_CHECKPOINT/go; do sleep 0.05; done; echo done");
  for (kernel::JobSpec* spec : {&brief, &lasting}) spec->resources.sandbox = kernel::SandboxMode::none;
  bench.run(brief);
  const int waiting = claimed_by(brief);
  bench.start(lasting);
  bench.started("r2");
  CHECK(claimed_by(lasting) == waiting);
  bench.replace_executor();
  bench.adopt(lasting);
  test::write(lasting.folder + "/checkpoint/go", "");
  CHECK(bench.outcome("r2").end == kernel::JobEnd::exited);
  CHECK(test::output_of(lasting) == "done\n");
  CHECK(test::eventually([&] { return kill(waiting, 0) != 0; }));
}

TEST_CASE("device nodes stay sealed when something is mounted over them after they were") {
  if (geteuid() != 0 || !test::has_sandbox()) return;
  const Bench bench;
  std::string before, after, elsewhere;
  // Whatever is mounted is so in this thread's namespace and its children's only.
  std::thread([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
    executors::Resident resident(program_of_residents, true);
    before = end_of(resident, meddling(bench, "before"));
    mount("/dev/zero", "/dev/null", nullptr, MS_BIND, nullptr);
    after = end_of(resident, meddling(bench, "after"));
    // The supervisors of the next see what has been mounted meanwhile.
    const std::string place = bench.folder() / "mounted";
    std::filesystem::create_directories(place);
    mount("none", place.c_str(), "tmpfs", 0, nullptr);
    auto spec = meddling(bench, "mounted/elsewhere");
    spec.folder = place + "/run";
    std::filesystem::create_directories(spec.folder + "/checkpoint");
    std::ifstream job(bench.folder() / "home/runs/mounted/elsewhere/job", std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(job)), {});
    const std::string old = bench.folder() / "home/runs/mounted/elsewhere";
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + 1))
      text.replace(at, old.size(), spec.folder);
    test::write(spec.folder + "/job", text);
    test::write(spec.folder + "/params.json", "{}");
    elsewhere = end_of(resident, spec);
  }).join();
  for (const std::string& said : {before, after, elsewhere}) {
    CHECK_THAT(said, Contains("refused\n"));
    CHECK_THAT(said, Contains("refused\nrefused\n") || Contains("'/dev/full': Read-only file system"));
  }
}

TEST_CASE("a supervisor of root's sandboxes goes on with the next run until something is mounted") {
  if (geteuid() != 0 || !test::has_sandbox()) return;
  std::vector<int> claimed;
  // Whatever is mounted is so in this thread's namespace and its children's only.
  std::thread([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
    Bench bench;
    for (const char* name : {"r1", "r2", "r3"}) {
      const std::string place = bench.folder() / "mounted";
      std::filesystem::create_directories(place);
      if (name == std::string("r3")) mount("none", place.c_str(), "tmpfs", 0, nullptr);
      bench.run(name, "true");
      claimed.push_back(claimed_by(bench.job(name, "")));
    }
    umount((bench.folder() / "mounted").c_str());
  }).join();
  REQUIRE(claimed.size() == 3);
  CHECK(claimed[1] == claimed[0]);
  CHECK(claimed[2] != claimed[1]);
}

TEST_CASE("a command is looked for like a shell does, in the sandbox and without") {
  if (!test::has_sandbox()) return;
  Bench bench;
  const std::string tools = bench.folder() / "workspace/tools";
  test::write(tools + "/no-hash-bang", "echo script \"$1\" \"$2\"\n");
  test::write(tools + "/forbidden", "echo never\n");
  test::write(tools + "/tool", "#!/bin/sh\necho tool\n");
  for (const char* name : {"/no-hash-bang", "/tool"}) chmod((tools + name).c_str(), 0755);
  chmod((tools + "/forbidden").c_str(), 0644);
  for (const auto sandbox : {kernel::SandboxMode::automatic, kernel::SandboxMode::none}) {
    const std::string suffix = sandbox == kernel::SandboxMode::none ? "-outside" : "-inside";
    const auto with = [&](const std::string& run, const std::vector<std::string>& words) {
      auto spec = bench.job(run + suffix, "");
      spec.resources.sandbox = sandbox;
      spec.command = {false, words};
      spec.toolchain.path = {"/nowhere", "tools", "/usr/bin", "/bin"};
      const auto outcome = bench.run(spec);
      return outcome.end == kernel::JobEnd::exited ? test::output_of(spec) : newest_words(outcome.reason);
    };
    CHECK(with("path", {"tool"}) == "tool\n");
    CHECK(with("later", {"expr", "20", "+", "3"}) == "23\n");
    CHECK(with("script", {"no-hash-bang", "a b", "c"}) == "script a b c\n");
    CHECK(with("by-path", {"tools/no-hash-bang", "", "c"}) == "script  c\n");
    CHECK(with("forbidden", {"forbidden"}) == "forbidden: Permission denied");
    CHECK(with("missing", {"tools/missing"}) == "tools/missing: No such file or directory");
    CHECK(with("folder", {"./tools"}) == "./tools: Permission denied");
    CHECK(with("through", {"tools/tool/x"}) == "tools/tool/x: Not a directory");
    CHECK(with("long", {std::string(5000, 'x')}).ends_with(": File name too long"));
  }
}

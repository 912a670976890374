#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "executors/local/run_folder.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/run_files.h"
#include "tests/executors/fixture.h"

using test::Folder;

namespace {

/// A run folder whose job leaves a mark each time it runs.
std::string prepare(const Folder& folder, const std::string& token, const std::string& isolation) {
  const std::string run = folder / "run";
  std::filesystem::create_directories(run);
  test::write(run + "/job", test::job_text({{"token", token},
                                            {"isolation", isolation},
                                            {"directory", run + "/work"},
                                            {"environment", "PATH=/usr/bin:/bin"},
                                            {"argument", "sh"},
                                            {"argument", "-c"},
                                            {"argument", "echo ran >> " + (folder / "marks")}}));
  return run;
}

}  // namespace

TEST_CASE("two supervisors for one folder run exactly one job") {
  for (int round = 0; round < 10; ++round) {
    const Folder folder;
    const std::string run = prepare(folder, "t1", "process_tree");
    std::vector<int> pids;
    for (int i = 0; i < 4; ++i) pids.push_back(test::spawn_supervisor(run));
    int left_outcome = 0;
    for (const int pid : pids) {
      const int status = test::wait_for(pid);
      if (status == supervisor::left_outcome)
        ++left_outcome;
      else
        CHECK(status == supervisor::claimed_before);
    }
    CHECK(left_outcome == 1);
    CHECK(test::read(folder / "marks") == "ran\n");
    CHECK_THAT(test::read(run + "/claim"), Catch::Matchers::StartsWith("t1\npid="));
  }
}

TEST_CASE("a supervisor that comes second, even with the same token, leaves without launching") {
  const Folder folder;
  const std::string run = prepare(folder, "t1", "process_tree");
  CHECK(test::supervise(run) == supervisor::left_outcome);
  const std::string outcome = test::read(run + "/outcome");
  CHECK(test::supervise(run) == supervisor::claimed_before);
  CHECK(test::read(folder / "marks") == "ran\n");
  CHECK(test::read(run + "/outcome") == outcome);
}

TEST_CASE("a claim that is void or another's keeps a supervisor from launching") {
  for (const std::string claim : {"void t1\n", "t0\n", ""}) {
    const Folder folder;
    const std::string run = prepare(folder, "t1", "process_tree");
    test::write(run + "/claim", claim);
    CHECK(test::supervise(run) == supervisor::claimed_before);
    CHECK_FALSE(test::exists(folder / "marks"));
    CHECK_FALSE(test::exists(run + "/outcome"));
  }
}

TEST_CASE("a supervisor on its way to a voided launch whose folder is being removed starts nothing") {
  const Folder folder;
  const std::string run = prepare(folder, "t1", "process_tree");
  test::write(run + "/lock", "");
  const supervisor::Fd lock(open((run + "/lock").c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(flock(lock.get(), LOCK_EX) == 0);
  // Its claim takes the place of the void one that was removed a moment ago.
  const int pid = test::spawn_supervisor(run);
  REQUIRE(test::eventually([&] { return test::exists(run + "/claim"); }));
  executors::remove_run_folder(run);
  REQUIRE(flock(lock.get(), LOCK_UN) == 0);
  CHECK(test::wait_for(pid) == supervisor::no_lock);
  CHECK_FALSE(test::exists(folder / "marks"));
  CHECK_FALSE(test::exists(run));
}

TEST_CASE("a run that was given up while its supervisor was on the way is not started") {
  const Folder folder;
  const std::string run = prepare(folder, "t1", "process_tree");
  test::write(run + "/outcome", "etude-outcome 1\ntoken=t1\nend=lost\n");
  CHECK(test::supervise(run) == supervisor::no_lock);
  CHECK_FALSE(test::exists(folder / "marks"));
}

TEST_CASE("a supervisor that cannot have the lock launches nothing") {
  const Folder folder;
  const std::string run = prepare(folder, "t1", "process_tree");
  supervisor::Fd opened(open(run.c_str(), O_RDONLY | O_DIRECTORY));
  const supervisor::Fd lock = supervisor::take_lock(opened.get(), 0);
  REQUIRE(lock);
  CHECK(test::supervise(run) == supervisor::no_lock);
  CHECK_FALSE(test::exists(folder / "marks"));
}

TEST_CASE("a job file that is not understood in full is not run") {
  const Folder folder;
  for (const std::string& text :
       {std::string("etude-job 2\0token\0t\0", 20), std::string("etude-job 1\0token\0t", 19),
        test::job_text({{"token", "t"}, {"argument", "true"}, {"gpus", "1"}}),
        test::job_text({{"token", "t"}, {"argument", "true"}, {"timeout_ms", "-1"}}), test::job_text({{"token", "t"}}),
        test::job_text({{"argument", "true"}}), std::string()}) {
    test::write(folder / "job", text);
    CHECK(test::supervise(folder.path()) == supervisor::bad_job);
    CHECK_FALSE(test::exists(folder / "claim"));
  }
}

TEST_CASE("a job's isolation without a sandbox is a PID namespace, or a watched tree; both say how the job ended") {
  for (const std::string isolation : {"pid_namespace", "process_tree"}) {
    const Folder folder;
    const std::string run = prepare(folder, "t1", isolation);
    CHECK(test::supervise(run) == supervisor::left_outcome);
    const std::string outcome = test::read(run + "/outcome");
    CHECK_THAT(outcome, Catch::Matchers::Contains("\nend=exited\nexit=0\n"));
    // Where namespaces are forbidden the first becomes the second.
    CHECK_THAT(outcome, Catch::Matchers::Contains("\nisolation=" + isolation) ||
                            Catch::Matchers::Contains("\nisolation=process_tree"));
  }
}

TEST_CASE("in a watched tree, a process that escaped by its own daemon is found by the run's token") {
  const Folder folder;
  const std::string word = test::unique_word();
  // A process that is no descendant of the supervisor, but carries the token: what a daemon asked by the job would
  // start.
  const int stranger = fork();
  if (stranger == 0) {
    execl("/usr/bin/env", "env", "-i", "ETUDE_TOKEN=t1", "sleep", word.c_str(), nullptr);
    _exit(127);
  }
  REQUIRE(test::eventually([&] { return test::read("/proc/" + std::to_string(stranger) + "/comm") == "sleep\n"; }));
  const std::string run = prepare(folder, "t1", "process_tree");
  CHECK(test::supervise(run) == supervisor::left_outcome);
  CHECK(test::wait_for(stranger) == 128 + 9);
}

// Jobs that start when another ends: never more at once, in order, and none that was cancelled or whose kernel died.

#include "executors/local/job_turns.h"

#include <catch2/catch.hpp>

#include "kernel/domain/reason.h"
#include "tests/executors/fixture.h"

namespace {

kernel::JobSpec job_in(const std::string& study, const std::string& run) {
  kernel::JobSpec job;
  job.run = run;
  job.folder = "/runs/" + study + "/" + run;
  return job;
}

/// A job without a sandbox that notes how many run at once, itself included, and runs until `gate` is there.
kernel::JobSpec counted(const test::Bench& bench, const std::string& run, const std::string& gate) {
  const std::string folder = bench.folder() / "";
  kernel::JobSpec job = bench.job(run, "mkdir -p " + folder + "at-work && touch " + folder + "at-work/" + run +
                                           "; ls " + folder + "at-work | wc -l; until test -e " + folder + gate +
                                           "; do sleep 0.01; done; rm " + folder + "at-work/" + run);
  job.resources.sandbox = kernel::SandboxMode::none;
  return job;
}

}  // namespace

TEST_CASE("a job's turn comes when fewer of its own study run, after those before it") {
  executors::Turns turns;
  turns.wait(job_in("s1", "s1-r1"), 2);
  turns.wait(job_in("s1", "s1-r2"), 2);
  turns.wait(job_in("s2", "s2-r1"), 1);
  std::map<std::string, int> running{{"/runs/s1", 2}, {"/runs/s2", 1}};
  const auto count = [&](std::string_view folder) { return running.at(std::string(folder)); };
  CHECK_FALSE(turns.next(count));
  running["/runs/s1"] = 1;
  CHECK(turns.next(count)->run == "s1-r1");
  running["/runs/s1"] = 2;
  running["/runs/s2"] = 0;
  CHECK(turns.next(count)->run == "s2-r1");
  CHECK_FALSE(turns.withdraw("s2-r1"));
  CHECK(turns.withdraw("s1-r2")->run == "s1-r2");
  CHECK(turns.empty());

  for (const std::string run : {"r1", "r2", "r3"}) turns.wait(job_in(run == "r2" ? "s2" : "s1", run), 1);
  const std::vector<kernel::JobSpec> taken = turns.withdraw_all("/runs/s1");
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].run == "r3");
  CHECK(taken[1].run == "r1");
  CHECK(turns.withdraw("r2")->run == "r2");
}

TEST_CASE("jobs in turn start as others end, without a word from the kernel, and never more at once") {
  test::Bench bench;
  bench.start(counted(bench, "r1", "first"));
  bench.start(counted(bench, "r2", "others"));
  bench.started("r1");
  bench.started("r2");
  const auto third = counted(bench, "r3", "others"), fourth = counted(bench, "r4", "others");
  bench.start_in_turn(third, 2);
  bench.start_in_turn(fourth, 2);
  CHECK_FALSE(bench.has_started("r3"));
  CHECK_FALSE(test::exists(third.folder));
  test::write(bench.folder() / "first", "");
  bench.started("r3");
  CHECK_FALSE(bench.has_started("r4"));
  test::write(bench.folder() / "others", "");
  for (const std::string run : {"r1", "r2", "r3", "r4"}) CHECK(bench.outcome(run).exit == 0);
  CHECK(std::stoi(test::output_of(third)) <= 2);
  CHECK(std::stoi(test::output_of(fourth)) <= 2);
}

TEST_CASE("a job in turn that finds its slot free starts at once") {
  test::Bench bench;
  auto job = bench.job("r1", "echo here");
  job.resources.sandbox = kernel::SandboxMode::none;
  bench.start_in_turn(job, 1);
  CHECK(bench.outcome("r1").exit == 0);
}

TEST_CASE("a job cancelled before its turn is voided and never starts") {
  test::Bench bench;
  bench.start(counted(bench, "r1", "gate"));
  bench.started("r1");
  const auto second = counted(bench, "r2", "gate");
  bench.start_in_turn(second, 1);
  bench.cancel("r2");
  const auto outcome = bench.outcome("r2");
  CHECK(outcome.end == kernel::JobEnd::voided);
  CHECK(outcome.started_ms == 0);
  test::write(bench.folder() / "gate", "");
  CHECK(bench.outcome("r1").exit == 0);
  CHECK_FALSE(test::exists(second.folder));
}

TEST_CASE("jobs that are withdrawn never start, and those that run go on") {
  test::Bench bench;
  const auto first = counted(bench, "r1", "gate"), second = counted(bench, "r2", "gate");
  bench.start(first);
  bench.started("r1");
  bench.start_in_turn(second, 1);
  bench.withdraw(std::string(executors::study_folder(first)));
  CHECK(bench.outcome("r2").end == kernel::JobEnd::voided);
  CHECK_FALSE(bench.has_ended("r1"));
  test::write(bench.folder() / "gate", "");
  CHECK(bench.outcome("r1").exit == 0);
  CHECK_FALSE(test::exists(second.folder));
}

TEST_CASE("a job whose turn had not come when its kernel died is voided for the next kernel") {
  test::Bench bench;
  const auto first = counted(bench, "r1", "gate"), second = counted(bench, "r2", "gate");
  bench.start(first);
  bench.started("r1");
  bench.start_in_turn(second, 1);
  bench.replace_executor();
  bench.adopt(first);
  bench.adopt(second);
  CHECK(bench.outcome("r2").end == kernel::JobEnd::voided);
  test::write(bench.folder() / "gate", "");
  CHECK(bench.outcome("r1").exit == 0);
  CHECK_FALSE(test::exists(second.folder));
}

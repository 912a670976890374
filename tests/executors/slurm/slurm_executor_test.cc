#include "executors/slurm/slurm_executor.h"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>

#include "executors/slurm/shared_folder.h"
#include "tests/executors/fixture.h"
#include "tests/executors/slurm/fake_cluster.h"

using executors::SlurmPace;
using kernel::JobEnd;
using kernel::JobSpec;
using test::FakeCluster;
using Mood = FakeCluster::Mood;
using Accounting = FakeCluster::Accounting;

namespace {

constexpr SlurmPace quick{.listing = 100,
                          .longest = 400,
                          .look = 20,
                          .gather = 5,
                          .settle = 50,
                          .unreachable = 500,
                          .recorded = 1000,
                          .accounts = 3'600'000};
constexpr const char* waits_for_go = "until test -e $ETUDE_CHECKPOINT/go; do sleep 0.02; done";

struct Site {
  explicit Site(SlurmPace pace = quick, std::size_t array = 1000)
      : cluster(std::make_shared<FakeCluster>(folder.path())), bench([this, pace, array](kernel::JobListener listener) {
          return std::make_unique<executors::SlurmExecutor>(
              std::move(listener), cluster, executors::SlurmPlace{.shared = shared(), .array = array}, pace);
        }) {
    std::filesystem::create_directory(shared());
  }
  JobSpec job(const std::string& run, const std::string& command) const {
    JobSpec spec = bench.job(run, command);
    spec.folder = folder / ("home/runs/s1/" + run);
    spec.checkpoint = folder / ("home/runs/s1/checkpoint-" + run);
    spec.workspace = folder / "home/workspaces/code";
    spec.resources.sandbox = kernel::SandboxMode::none;
    std::filesystem::create_directories(spec.workspace);
    return spec;
  }
  std::string at(const JobSpec& spec) const { return executors::shared_place(shared(), spec.folder); }
  std::string checkpoint(const JobSpec& spec) const { return executors::shared_place(shared(), spec.checkpoint); }
  std::string shared() const { return folder / "shared"; }
  /// The reason for the end of a job whose Slurm job was ended in this state while it ran.
  kernel::JobOutcome ended_by(const std::string& state, bool ask_first) {
    const auto running = job("r" + state + (ask_first ? "1" : "0"), waits_for_go);
    bench.start(running);
    bench.started(running.run);
    cluster->end_newest(state, ask_first);
    return bench.outcome(running.run);
  }

  test::Folder folder;
  std::shared_ptr<FakeCluster> cluster;
  test::Bench bench;
};

}  // namespace

TEST_CASE("jobs of one shape are one array, others are submitted apart, and an array has a most") {
  Site site(quick, 3);
  std::vector<JobSpec> jobs;
  for (int i = 0; i < 7; ++i) jobs.push_back(site.job("r" + std::to_string(i), "true"));
  jobs[6].resources.cpus = 2;
  for (const auto& job : jobs) site.bench.start(job);
  for (const auto& job : jobs) CHECK(site.bench.outcome(job.run).exit == 0);
  CHECK(site.cluster->submissions() == 3);
  CHECK(site.cluster->starts() == 7);
}

TEST_CASE("a run gets the node that its factor names, in an array of its own, and its end says where it was") {
  Site site;
  std::vector<JobSpec> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(site.job("r" + std::to_string(i), "true"));
  for (int i = 0; i < 3; ++i) jobs[i].resources.node = "machine";
  jobs[0].values["machine"] = jobs[1].values["machine"] = "n2";
  for (const auto& job : jobs) site.bench.start(job);
  for (const auto& job : jobs) CHECK(site.bench.outcome(job.run).node == "n1");
  const auto shapes = site.cluster->shapes();
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[0].node == "");
  CHECK(shapes[1].node == "n2");
}

TEST_CASE("a kernel that dies between the intent and the answer finds its job, and does not submit it twice") {
  Site site;
  const auto job = site.job("r1", std::string(waits_for_go) + "; exit 7");
  // The job is there, and no kernel has heard so: first the answer is lost, then the kernel.
  site.cluster->be(Mood::takes_silently);
  site.bench.start(job);
  REQUIRE(test::eventually([&] { return site.cluster->jobs() == 1; }));
  site.bench.replace_executor();
  site.cluster->be(Mood::answers);
  site.bench.adopt(job);
  site.bench.started("r1");
  test::write(site.checkpoint(job) + "/go", "");
  CHECK(site.bench.outcome("r1").exit == 7);
  CHECK(site.cluster->submissions() == 1);
  CHECK(site.cluster->starts() == 1);
}

TEST_CASE("a launch whose submission never arrived is voided after two listings, and a late job of it starts nothing") {
  Site site;
  const auto job = site.job("r1", "touch $ETUDE_CHECKPOINT/ran");
  site.cluster->be(Mood::silent);
  site.bench.start(job);
  REQUIRE(test::eventually([&] { return site.cluster->submissions() == 1; }));
  site.bench.replace_executor();
  site.cluster->be(Mood::answers);
  site.bench.adopt(job);
  CHECK(site.bench.outcome("r1").end == JobEnd::voided);
  CHECK(site.cluster->listings() >= 2);
  CHECK(test::supervise(site.at(job)) != 0);
  CHECK_FALSE(test::exists(site.checkpoint(job) + "/ran"));
}

TEST_CASE("an answer that was lost is looked up before anything is submitted again") {
  Site site;
  site.cluster->be(Mood::takes_silently);
  const auto job = site.job("r1", "exit 2");
  site.bench.start(job);
  REQUIRE(test::eventually([&] { return site.cluster->submissions() == 1; }));
  site.cluster->be(Mood::answers);
  CHECK(site.bench.outcome("r1").exit == 2);
  CHECK(site.cluster->submissions() == 1);
}

TEST_CASE("while Slurm does not answer jobs wait, this is said once, and then they run") {
  Site site;
  site.cluster->be(Mood::silent);
  const auto job = site.job("r1", "exit 0");
  site.bench.start(job);
  REQUIRE(test::eventually([&] { return site.cluster->submissions() + site.cluster->listings() >= 3; }));
  CHECK_FALSE(site.bench.has_ended("r1"));
  REQUIRE(site.bench.waits().size() == 1);
  CHECK(site.bench.waits()[0] == "Slurm does not answer: Unable to contact slurm controller");
  site.cluster->be(Mood::answers);
  CHECK(site.bench.outcome("r1").exit == 0);
  CHECK(site.bench.waits() == std::vector<std::string>{site.bench.waits()[0], ""});
}

TEST_CASE("a job ends while Slurm does not answer: its outcome is in the shared folder") {
  Site site;
  const auto job = site.job("r1", std::string(waits_for_go) + "; exit 6");
  site.bench.start(job);
  site.bench.started("r1");
  site.cluster->be(Mood::silent);
  test::write(site.checkpoint(job) + "/go", "");
  CHECK(site.bench.outcome("r1").exit == 6);
}

TEST_CASE("what Slurm refuses fails to start with its words and a remedy") {
  Site site;
  site.cluster->be(Mood::refuses);
  site.bench.start(site.job("r1", "true"));
  const auto outcome = site.bench.outcome("r1");
  CHECK(outcome.end == JobEnd::failed_to_start);
  CHECK(kernel::newest_words(outcome.reason) ==
        "Slurm refused the job: invalid partition specified: nowhere: correct the section `executor` of the "
        "configuration, or the study's resources");
}

TEST_CASE("an answer that cannot be read is no failure of the job") {
  Site site;
  site.cluster->be(Mood::nonsense);
  site.bench.start(site.job("r1", "true"));
  REQUIRE(test::eventually([&] { return site.cluster->submissions() >= 2; }));
  CHECK_FALSE(site.bench.has_ended("r1"));
  site.cluster->be(Mood::answers);
  CHECK(site.bench.outcome("r1").exit == 0);
}

TEST_CASE("how Slurm ended a job is its end, whether or not the supervisor had time to write one") {
  struct Case {
    const char* state;
    JobEnd end;
    const char* words;
  };
  const auto [state, end, words] =
      GENERATE(Case{"TIMEOUT", JobEnd::timed_out, "Slurm's time limit ended it"},
               Case{"NODE_FAIL", JobEnd::lost, "its node failed"}, Case{"PREEMPTED", JobEnd::lost, "it was preempted"},
               Case{"OUT_OF_MEMORY", JobEnd::memory, "Slurm ended it for its memory"},
               Case{"CANCELLED", JobEnd::cancelled, "its Slurm job was cancelled, not by etude"});
  Site site;
  for (const bool ask_first : {true, false}) {
    const auto outcome = site.ended_by(state, ask_first);
    CHECK(outcome.end == end);
    CHECK(kernel::newest_words(outcome.reason).starts_with(words));
    CHECK(outcome.started_ms > 0);
  }
}

TEST_CASE("a job that Slurm puts back into its queue while it runs is lost, and its second start does nothing") {
  Site site;
  const auto job = site.job("r1", std::string("echo start >>$ETUDE_CHECKPOINT/starts; ") + waits_for_go);
  site.bench.start(job);
  site.bench.started("r1");
  site.cluster->end_newest("REQUEUED");
  const auto outcome = site.bench.outcome("r1");
  CHECK(outcome.end == JobEnd::lost);
  CHECK(kernel::newest_words(outcome.reason).starts_with("it was put back into Slurm's queue while it ran"));
  CHECK(test::supervise(site.at(job)) != 0);
  CHECK(test::read(site.checkpoint(job) + "/starts") == "start\n");
}

TEST_CASE("a running job that Slurm lists as waiting again is lost, although etude itself then ends it in Slurm") {
  Site site;
  const auto job = site.job("r1", waits_for_go);
  site.bench.start(job);
  site.bench.started("r1");
  // A controller that was killed may have saved it as waiting.
  site.cluster->say("PENDING");
  const auto outcome = site.bench.outcome("r1");
  CHECK(outcome.end == JobEnd::lost);
  CHECK(kernel::newest_words(outcome.reason).starts_with("it was put back into Slurm's queue while it ran"));
}

TEST_CASE("a running job that Slurm forgets and stops is lost, and not cancelled") {
  Site site;
  const auto job = site.job("r1", waits_for_go);
  site.bench.start(job);
  site.bench.started("r1");
  site.cluster->lose_newest();
  const auto outcome = site.bench.outcome("r1");
  CHECK(outcome.end == JobEnd::lost);
  CHECK(kernel::newest_words(outcome.reason) == "Slurm does not know its job any more");
  CHECK(outcome.started_ms > 0);
}

TEST_CASE("accounting says how a job ended that no listing has any more, also if it answers or hears of it later") {
  SlurmPace patient = quick;
  patient.recorded = 3'600'000;
  Site site(patient);
  const auto job = site.job("r1", waits_for_go);
  site.bench.start(job);
  site.bench.started("r1");
  const bool ask_first = GENERATE(true, false);
  const Accounting before = GENERATE(Accounting::answers, Accounting::silent, Accounting::behind);
  site.cluster->keep_accounts(before);
  site.cluster->be(Mood::silent);
  site.cluster->end_newest("TIMEOUT", ask_first);
  site.cluster->forget();
  site.cluster->be(Mood::answers);
  if (before != Accounting::answers) {
    REQUIRE(test::eventually([&] { return site.cluster->accountings() >= 3; }));
    CHECK(site.cluster->jobs() == 0);
    site.cluster->keep_accounts(Accounting::answers);
  }
  const auto outcome = site.bench.outcome("r1");
  CHECK(outcome.end == JobEnd::timed_out);
  CHECK(kernel::newest_words(outcome.reason).starts_with("Slurm's time limit ended it"));
}

TEST_CASE("a job that no listing has is lost where there is no accounting, and where that never says how it ended") {
  SlurmPace impatient = quick;
  impatient.accounts = 1000;
  Site site(impatient);
  const auto job = site.job("r1", waits_for_go);
  site.bench.start(job);
  site.bench.started("r1");
  site.cluster->keep_accounts(GENERATE(Accounting::none, Accounting::silent, Accounting::behind));
  site.cluster->be(Mood::silent);
  site.cluster->end_newest("TIMEOUT", false);
  site.cluster->forget();
  site.cluster->be(Mood::answers);
  const auto outcome = site.bench.outcome("r1");
  CHECK(outcome.end == JobEnd::lost);
  CHECK(kernel::newest_words(outcome.reason) == "Slurm does not know its job any more");
}

TEST_CASE("a run that is cancelled does not wait for accounting that does not answer") {
  Site site;
  const auto job = site.job("r1", waits_for_go);
  site.bench.start(job);
  site.bench.started("r1");
  site.cluster->keep_accounts(Accounting::silent);
  site.cluster->be(Mood::silent);
  site.cluster->end_newest("NODE_FAIL");
  site.cluster->forget();
  site.cluster->be(Mood::answers);
  REQUIRE(test::eventually([&] { return site.cluster->accountings() > 0; }));
  site.bench.cancel("r1");
  CHECK(site.bench.outcome("r1").end == JobEnd::cancelled);
}

TEST_CASE(
    "a job that Slurm will never start fails with its reason, and one whose node failed before it began runs again") {
  Site site;
  site.cluster->hold(true);
  const auto job = site.job("r1", "true");
  site.bench.start(job);
  REQUIRE(test::eventually([&] { return site.cluster->jobs() == 1; }));
  site.cluster->say("PENDING", "PartitionTimeLimit");
  auto outcome = site.bench.outcome("r1");
  CHECK(outcome.end == JobEnd::failed_to_start);
  CHECK(kernel::newest_words(outcome.reason).find("PartitionTimeLimit") != std::string::npos);
  site.bench.start(site.job("r2", "true"));
  REQUIRE(test::eventually([&] { return site.cluster->jobs() == 2; }));
  site.cluster->say("NODE_FAIL");
  CHECK(site.bench.outcome("r2").end == JobEnd::voided);
}

TEST_CASE("a waiting job that a person cancels is cancelled, and one that its node could not start runs again") {
  Site site;
  site.cluster->hold(true);
  const std::string node = GENERATE("", "n1");
  site.bench.start(site.job("r1", "true"));
  REQUIRE(test::eventually([&] { return site.cluster->jobs() == 1; }));
  site.cluster->say("CANCELLED", "None", node);
  CHECK(site.bench.outcome("r1").end == (node.empty() ? JobEnd::cancelled : JobEnd::voided));
}

TEST_CASE("a job that waits in Slurm's queue is cancelled at once, and never runs") {
  Site site;
  site.cluster->hold(true);
  const auto job = site.job("r1", "touch $ETUDE_CHECKPOINT/ran");
  site.bench.start(job);
  REQUIRE(test::eventually([&] { return site.cluster->jobs() == 1; }));
  site.bench.cancel("r1");
  CHECK(site.bench.outcome("r1").end == JobEnd::cancelled);
  site.cluster->release();
  REQUIRE(test::eventually([&] {
    const auto listing = site.cluster->list();
    return executors::stage_of(listing.jobs->front()) == executors::SlurmStage::over;
  }));
  CHECK_FALSE(test::exists(site.checkpoint(job) + "/ran"));
}

TEST_CASE("an outcome counts after Slurm has forgotten its job") {
  Site site;
  const auto job = site.job("r1", "exit 9");
  site.bench.start(job);
  REQUIRE(test::eventually([&] { return test::exists(site.at(job) + "/outcome"); }));
  site.bench.replace_executor();
  REQUIRE(test::eventually([&] { return site.cluster->forget(), site.cluster->jobs() == 0; }));
  site.bench.adopt(job);
  CHECK(site.bench.outcome("r1").exit == 9);
}

TEST_CASE("there is at most one listing in the time between two, however many jobs there are") {
  SlurmPace pace = quick;
  pace.listing = 400;
  pace.longest = 400;
  Site site(pace);
  site.cluster->hold(true);
  for (int i = 0; i < 300; ++i) site.bench.start(site.job("r" + std::to_string(i), "true"));
  REQUIRE(test::eventually([&] { return site.cluster->jobs() == 300; }));
  const int before = site.cluster->listings();
  const auto begun = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  const int more = site.cluster->listings() - before;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  CHECK(more >= 1);
  CHECK(more <= took.count() / pace.listing + 1);
}

TEST_CASE("a shared folder without room, or whose quota is full, is full; one that refuses is not") {
  for (const int error : {ENOSPC, EDQUOT}) {
    INFO(error);
    CHECK(executors::is_full(error));
    const kernel::Problem problem = executors::not_written("/cluster", error);
    CHECK(problem.machine);
    CHECK(problem.why.ends_with(error == EDQUOT ? "Disk quota exceeded" : "No space left on device"));
    CHECK(problem.todo == "free some space there (`etude gc --delete`), or name another shared folder");
  }
  for (const int error : {EACCES, EROFS, EIO}) {
    INFO(error);
    CHECK_FALSE(executors::is_full(error));
    CHECK(executors::not_written("/cluster", error).todo.starts_with("name a folder in which you may write"));
  }
}

TEST_CASE("workspaces are copied to the shared folder once, and copies that the home no longer has are removed") {
  Site site;
  const auto job = site.job("r1", "cat program");
  test::write(job.workspace + "/program", "first\n");
  site.bench.start(job);
  CHECK(site.bench.outcome("r1").exit == 0);
  CHECK(executors::Harvest(site.at(job)).log(executors::OutputStream::out) == "first\n");
  const std::string copies = executors::shared_home(site.shared(), site.folder / "home");
  const auto before = std::filesystem::last_write_time(copies + "/workspaces/code/program");
  CHECK(before == std::filesystem::last_write_time(job.workspace + "/program"));
  site.bench.start(site.job("r2", "cat program"));
  CHECK(site.bench.outcome("r2").exit == 0);
  executors::remove_stale_copies(site.shared(), site.folder / "home");
  CHECK(test::exists(copies + "/workspaces/code"));
  std::filesystem::remove_all(job.workspace);
  executors::remove_stale_copies(site.shared(), site.folder / "home");
  CHECK_FALSE(test::exists(copies + "/workspaces/code"));
}

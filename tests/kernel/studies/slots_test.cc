// Slots of the family in forks, and agents while an experiment is open.
#include <catch2/catch.hpp>

#include "kernel/codec/codec.h"
#include "kernel/decide/decide.h"
#include "kernel/decide/fork_maker.h"
#include "kernel/loop/loop.h"
#include "kernel/study/ledger.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/studies/world.h"

namespace {

std::vector<kernel::Event> log_of_a_study() {
  World world([](const kernel::JobSpec& job) { return honest(job); });
  world.open(small_spec({quick_is_faster()}));
  CHECK(finished(world).hypotheses.at(0).result->verdict == kernel::Verdict::supported);
  return world.log;
}

/// The number of events before the registration, or with it.
std::ptrdiff_t registration_in(const std::vector<kernel::Event>& log) {
  return std::ranges::find_if(
             log, [](const kernel::Event& e) { return std::holds_alternative<kernel::ExperimentRegistered>(e.body); }) -
         log.begin();
}

kernel::Study forked(std::vector<kernel::Event> log, int slots) {
  log.resize(static_cast<std::size_t>(registration_in(log)), log.front());
  for (kernel::Event& event : log) event.study = "s2";
  std::get<kernel::StudyOpened>(log.front().body).id = "s2";
  kernel::ForkStudy fork{"s1", 3, "head", log};
  fork.slots = slots;
  kernel::State state;
  for (const kernel::Event& event : kernel::decide(state, {"s2", "person", fork}, {}).events)
    kernel::apply(state, event);
  return *state.study("s2");
}

}  // namespace

TEST_CASE("a fork has no slot that its past used after the point of the fork") {
  const std::vector<kernel::Event> log = log_of_a_study();
  CHECK_FALSE(forked(log, 0).hypotheses.at(0).exploratory);
  CHECK(forked(log, 1).hypotheses.at(0).exploratory);
  CHECK(forked(log, 1).fork->slots == 1);
}

namespace {

/// What a fork of s2 at its event `at` is made of.
kernel::ForkStudy made_of(const std::vector<kernel::Event>& log, std::int64_t at) {
  kernel::ForkMaker maker("s2", at, "s3");
  kernel::StoredEvent stored;
  for (const kernel::Event& event : log) {
    const std::int64_t seq = stored.seq;
    stored = kernel::to_stored(event, stored.hash.empty() ? std::string(kernel::chain_start) : stored.hash);
    stored.seq = seq + 1;
    maker.read(stored);
  }
  return std::move(maker).made();
}

}  // namespace

TEST_CASE("a fork of a fork, at an event of its past, has no slot that the first fork knew to be taken") {
  std::vector<kernel::Event> log = log_of_a_study();
  log.resize(3, log.front());
  kernel::StudyForked forked;
  forked.from = "s1";
  forked.slots = 2;
  log.push_back({"s2", "person", {99'000'000, 99'000'000}, forked});
  CHECK(made_of(log, 2).slots == 2);
  CHECK(made_of(log, 4).slots == 0);
}

TEST_CASE("in a fork the runs of its past are its own, also where a person's words name them") {
  std::vector<kernel::Event> log = log_of_a_study();
  log.resize(2, log.front());
  kernel::Node node;
  node.id = "N02";
  node.runs = {"s2-r1", "s20-r1"};
  log.push_back({"s2", "person", log.back().at, kernel::NodeRecorded{node}});
  const kernel::ForkStudy fork = made_of(log, 3);
  CHECK(std::get<kernel::NodeRecorded>(fork.events.back().body).node.runs ==
        std::vector<std::string>{"s3-r1", "s20-r1"});
}

TEST_CASE("a fork runs again what was live, but not what was to be killed") {
  World world(honest);
  world.executor.silent = true;
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  world.open(spec, 2);
  kernel::Loop loop(world.parts());
  loop.run([](const kernel::State& state) { return state.study("s1") && state.study("s1")->live.size() == 2; });
  const int doomed = *loop.state().study("s1")->live.begin();
  world.inbox.post(kernel::Command{"s1", "person", kernel::CancelRun{doomed}});
  loop.run([](const kernel::State& state) { return !state.study("s1")->to_kill.empty(); });
  std::vector<kernel::Event> log = world.log;
  for (kernel::Event& event : log) event.study = "s2";
  std::get<kernel::StudyOpened>(log.front().body).id = "s2";
  kernel::State state;
  for (const kernel::Event& event :
       kernel::decide(state, {"s2", "person", kernel::ForkStudy{"s1", 3, "head", log}}, {}).events)
    kernel::apply(state, event);
  const kernel::Study& fork = *state.study("s2");
  CHECK(fork.run(doomed)->state == kernel::RunState::cancelled);
  CHECK(std::ranges::count(fork.queue, doomed) == 0);
  CHECK(std::ranges::count(fork.queue, doomed + 1) == 1);
  CHECK(fork.live.empty());
  CHECK(kernel::spent(fork).runs == kernel::spent(*loop.state().study("s1")).runs);
}

TEST_CASE("no agent acts on an open registration") {
  const std::vector<kernel::Event> log = log_of_a_study();
  kernel::State state;
  for (std::ptrdiff_t i = 0; i <= registration_in(log); ++i) kernel::apply(state, log[static_cast<std::size_t>(i)]);
  kernel::WorkspaceRecord other;
  other.hash = kernel::WorkspaceHash("other");
  const kernel::CommandBody commands[] = {kernel::AmendWorkspace{other, "better"},
                                          kernel::WithdrawHypothesis{"H1", "it fails"},
                                          kernel::OrderScratch{},
                                          kernel::CancelRun{1},
                                          kernel::Cancel{"enough"},
                                          kernel::Pause{}};
  for (const kernel::CommandBody& command : commands) {
    const kernel::Decision decision = kernel::decide(state, {"s1", "engineer", command}, {});
    const auto* rejection = std::get_if<kernel::Rejection>(&decision.outcome);
    REQUIRE(rejection);
    CHECK(rejection->stated.code == kernel::ReasonCode::registration_open);
    CHECK(rejection->reason == "E01 is registered and has no verdicts yet: no agent acts on it");
  }
  const kernel::Decision withdrawn =
      kernel::decide(state, {"s1", kernel::person_actor, kernel::WithdrawHypothesis{"H1", "a mistake"}}, {});
  CHECK_FALSE(kernel::why_not(withdrawn.outcome));
}

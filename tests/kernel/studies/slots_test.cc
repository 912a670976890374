// Slots of the family in forks, and agents while an experiment is open.
#include <catch2/catch.hpp>

#include "kernel/decide/decide.h"
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

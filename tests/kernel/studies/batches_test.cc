#include <set>

#include <catch2/catch.hpp>

#include "kernel/decide/preconditions.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/decide/simulated_study.h"
#include "tests/kernel/inference/synthetic.h"
#include "tests/kernel/search/search_driver.h"

using kernel::Direction;
using kernel::Purpose;
using kernel::Run;
using kernel::Verdict;

namespace {

kernel::StudySpec many_arms(int arms, int replicates, std::optional<int> family = {}) {
  kernel::StudySpec spec = synthetic::study(replicates);
  std::vector<std::string> levels{"c"};
  for (int i = 1; i <= arms; ++i) levels.push_back("t" + std::to_string(i));
  spec.factors = {synthetic::factor("arm", levels)};
  spec.design.smoke = false;
  spec.design.family = family.value_or(arms);
  for (int i = 1; i <= arms; ++i) {
    kernel::Hypothesis h = synthetic::compare(Direction::less);
    h.id = kernel::HypothesisId("H" + std::to_string(i));
    h.statement = "It is.";
    h.treatment = {{"arm", levels[static_cast<std::size_t>(i)]}};
    spec.hypotheses.push_back(h);
  }
  return spec;
}

/// All treatments lower than the control by about 5, noise of about 1 from the seed and the arm.
simulated::Outcome lower(const Run& run, const kernel::Cell& cell, int) {
  const std::string& arm = cell.at("arm");
  return {10 + synthetic::noise(arm, run.seed) - (arm == "c" ? 0 : 5)};
}

std::set<std::uint64_t> seeds(const kernel::Study& study, const kernel::ExperimentId& experiment) {
  std::set<std::uint64_t> list;
  for (const Run& run : study.runs)
    if (run.experiment == experiment) list.insert(run.seed);
  return list;
}

}  // namespace

TEST_CASE("a further batch has seeds of its own, and tests at its share of the same family") {
  for (const kernel::Pairing pairing : {kernel::Pairing::seed, kernel::Pairing::none}) {
    auto spec = many_arms(4, 6);
    spec.design.pairing = pairing;
    simulated::Simulation simulation(lower);
    const kernel::Study& study = simulation.conclude(spec, 2);
    REQUIRE(study.experiments.size() == 2);
    CHECK(study.experiments[0].registration.batch == 1);
    CHECK(study.experiments[1].registration.batch == 2);
    CHECK(study.experiments[1].registration.experiment == "E02");
    std::vector<std::uint64_t> both;
    const auto first = seeds(study, "E01"), second = seeds(study, "E02");
    std::set_intersection(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(both));
    CHECK(both.empty());
    for (const kernel::HypothesisRecord& record : study.hypotheses) {
      CHECK(record.result->verdict == Verdict::supported);
      CHECK(record.result->n == std::array{6, 6});
      // Two of a family of four: the smaller p of a batch is held against α/4.
      CHECK(record.result->level >= 1 - 2 * 0.05 / 2);
      CHECK(record.result->level <= 1 - 2 * 0.05 / 4 + 1e-12);
    }
    CHECK(study.all_sizes().size() == 4);
  }
}

TEST_CASE("every batch has a pilot of its own, on seeds that no other run has") {
  auto spec = many_arms(2, 0);
  spec.design.replicates_min = 2;
  spec.design.replicates_max = 40;
  spec.hypotheses[0].smallest_effect = spec.hypotheses[1].smallest_effect = {kernel::SmallestEffect::Kind::absolute, 2};
  simulated::Simulation simulation(lower);
  const kernel::Study& study = simulation.conclude(spec, 2);
  std::set<std::uint64_t> first, second;
  for (const Run& run : study.runs)
    if (run.purpose == Purpose::pilot) (run.number > study.batch.runs_before ? second : first).insert(run.seed);
  CHECK(first.size() == 5);
  CHECK(second.size() == 5);
  for (const std::uint64_t seed : second) CHECK_FALSE(first.contains(seed));
}

TEST_CASE("beyond the family a further batch explores, and the family does not grow") {
  simulated::Simulation simulation(lower);
  const kernel::Study& study = simulation.conclude(many_arms(4, 6, 3), 2);
  CHECK(study.family == 3);
  CHECK(study.hypothesis("H3")->result->verdict == Verdict::supported);
  CHECK(study.hypothesis("H4")->exploratory);
  CHECK(study.hypothesis("H4")->result->verdict == Verdict::inconclusive);
}

TEST_CASE("what is withdrawn keeps its slot and has no verdict, and what served it alone is not run") {
  auto spec = many_arms(2, 6);
  driver::Driver d(spec, [](const kernel::Cell& cell, std::uint64_t seed, Purpose) {
    return synthetic::noise(cell.at("arm"), seed) + (cell.at("arm") == "t1" ? 5 : 10);
  });
  d.run([](const kernel::Study& s) { return !s.experiments.empty(); });
  d.command({"s1", "person", kernel::WithdrawHypothesis{"H2", "t2 was measured wrongly"}});
  CHECK(newest_words(d.study().hypothesis("H2")->result->reason).find("t2 was measured wrongly") != std::string::npos);
  d.run();
  CHECK(d.study().hypothesis("H1")->result->verdict == Verdict::supported);
  // Held against α/2, as if H2 had been tested with p = 1.
  CHECK(d.study().hypothesis("H1")->result->level == Approx(1 - 2 * 0.05 / 2));
  CHECK(d.study().claims.size() == 1);
  int cancelled = 0;
  for (const Run& run : d.study().runs) cancelled += run.state == kernel::RunState::cancelled;
  CHECK(cancelled == 6);
  CHECK(d.study().outcome == kernel::StudyOutcome::concluded);
}

TEST_CASE("a hypothesis that was withdrawn before it was registered is not registered") {
  driver::Driver d(many_arms(2, 6), [](const kernel::Cell& cell, std::uint64_t seed, Purpose) {
    return synthetic::noise(cell.at("arm"), seed) + (cell.at("arm") == "t1" ? 5 : 10);
  });
  d.run([](const kernel::Study& s) { return s.proposals_closed; });
  d.command({"s1", "person", kernel::WithdrawHypothesis{"H2", "it was never meant"}});
  d.run();
  REQUIRE(d.study().experiments.size() == 1);
  CHECK(d.study().experiments[0].registration.hypotheses.size() == 1);
  CHECK(d.study().experiments[0].registration.family == 2);
  CHECK(d.study().hypothesis("H1")->result->level == Approx(1 - 2 * 0.05 / 2));
  CHECK(d.study().nodes[d.study().nodes.size() - 1].id.size() == 3);
}

TEST_CASE("a study whose only hypothesis is withdrawn during its pilot waits for what runs, and starts nothing more") {
  auto spec = many_arms(1, 0);
  spec.design.replicates_min = 2;
  spec.design.replicates_max = 40;
  spec.hypotheses[0].smallest_effect = {kernel::SmallestEffect::Kind::absolute, 2};
  driver::Driver d(spec, [](const kernel::Cell&, std::uint64_t, Purpose) { return 1.0; });
  d.run([](const kernel::Study& s) { return s.asked_pilot; });
  const int first = d.study().queue.front();
  d.tell({"s1", "kernel", {}, kernel::RunStarting{first, kernel::LaunchToken("token")}});
  d.command({"s1", "person", kernel::WithdrawHypothesis{"H1", "it is moot"}});
  CHECK(d.study().queue.empty());
  CHECK(d.study().phase() == kernel::Phase::measuring);
  kernel::RunEnded ended;
  ended.run = first;
  ended.state = kernel::RunState::succeeded;
  d.tell({"s1", "kernel", {}, ended});
  d.run();
  CHECK(d.study().outcome == kernel::StudyOutcome::failed);
}

TEST_CASE("a planted effect is looked for beside the family, and its absence is said with every verdict") {
  auto spec = many_arms(1, 6);
  spec.factors = {synthetic::factor("arm", {"c", "t1", "slow"})};
  kernel::Hypothesis planted = synthetic::compare(Direction::greater);
  planted.id = "planted";
  planted.treatment = {{"arm", "slow"}};
  spec.design.planted = planted;
  for (const double shift : {5.0, 0.0}) {
    driver::Driver d(spec, [shift](const kernel::Cell& cell, std::uint64_t seed, Purpose) {
      const std::string& arm = cell.at("arm");
      return 10 + synthetic::noise(arm, seed) + (arm == "slow" ? shift : 0) - (arm == "t1" ? 5 : 0);
    });
    d.run();
    const kernel::Experiment& e = d.study().experiments.front();
    REQUIRE(e.planted);
    const auto& warnings = d.study().hypothesis("H1")->result->warnings;
    const auto says = [](const kernel::Reason& w) { return w.code == kernel::ReasonCode::planted_missed; };
    CHECK((e.planted->verdict == Verdict::supported) == (shift > 0));
    CHECK(std::any_of(warnings.begin(), warnings.end(), says) == (shift == 0));
    CHECK(d.study().hypothesis("H1")->result->verdict == Verdict::supported);
    CHECK(d.study().hypotheses.size() == 1);
    CHECK(d.study().family == 1);
  }
}

TEST_CASE("code that an agent wrote is registered only once its manipulation check finds nothing; a person's may be") {
  bool same = true;
  auto spec = many_arms(1, 6);
  spec.design.smoke = true;
  const auto value = [&same](const kernel::Cell& cell, std::uint64_t seed, Purpose) {
    return same ? 1.0 : synthetic::noise(cell.at("arm"), seed) + (cell.at("arm") == "t1" ? 5 : 10);
  };
  const auto amended_by = [](const std::string& actor, const char* hash) {
    kernel::AmendWorkspace amendment{{kernel::WorkspaceHash(hash), 1, 1, {}}, "it is better"};
    amendment.places = {{"job.py", 1, 1}};
    return kernel::Command{"s1", actor, std::move(amendment)};
  };
  const auto registering = [](const kernel::Study& s) { return s.phase() == kernel::Phase::registering; };

  driver::Driver d(spec, value);
  d.run([](const kernel::Study& s) { return s.proposals_closed; });
  d.command(amended_by("experiment", "first"));
  d.run(registering);
  const std::string why = d.refusal(kernel::RegisterExperiment{{"H1"}});
  CHECK(why.find("the code that experiment wrote does not pass its manipulation check: ") == 0);
  CHECK(why.find("(and 1 more)") != std::string::npos);
  CHECK(kernel::cannot_follow(d.study(), kernel::ExperimentRegistered{})->reason == why);

  same = false;
  d.command(amended_by("experiment", "second"));
  CHECK_FALSE(d.study().check);
  d.run(registering);
  // Another agent has to confirm from its source that it does what the question requires.
  CHECK(d.refusal(kernel::RegisterExperiment{{"H1"}}) ==
        "the requirements of the question on the code are not stated yet: bind_requirement");
  kernel::StudyRequirement required;
  required.text = "The arm decides on the value.";
  required.file = "job.py";
  required.from = required.to = 1;
  d.command({"s1", "experiment", kernel::BindRequirement{required}});
  CHECK(
      d.refusal(kernel::RegisterExperiment{{"H1"}})
          .find(
              "requirement K1 has not been confirmed for the code as it is: the change of the code does only this: ") ==
      0);
  d.command({"s1", "reviewer", kernel::JudgeRequirement{"K1", true, "it does"}});
  CHECK(d.refusal(kernel::RegisterExperiment{{"H1"}}) ==
        "requirement R1 has not been confirmed for the code as it is: The arm decides on the value.");
  d.command({"s1", "reviewer", kernel::JudgeRequirement{"R1", true, "it does"}});
  d.run();
  CHECK(d.study().hypothesis("H1")->result->verdict == Verdict::supported);

  same = true;
  driver::Driver person(spec, value);
  person.run([](const kernel::Study& s) { return s.proposals_closed; });
  person.command(amended_by("person", "first"));
  person.run();
  CHECK(person.study().pause_reason == kernel::PauseReason::seed);
  person.command({"s1", "person", kernel::Resume{"boot", 0, {}}});
  person.run();
  CHECK(person.study().experiments.size() == 1);
}

namespace {

std::optional<double> lower_in_arms(const kernel::Cell& cell, std::uint64_t seed, Purpose) {
  return synthetic::noise(cell.at("arm"), seed) + (cell.at("arm") == "c" ? 10 : 5);
}

/// A study whose first batch has its verdicts, and that has opened a second one.
driver::Driver with_second_batch() {
  driver::Driver d(many_arms(4, 6), lower_in_arms);
  d.run([](const kernel::Study& s) { return s.phase() == kernel::Phase::concluding; });
  d.command({"s1", "hypothesis", kernel::OpenBatch{"the first says where to look"}});
  return d;
}

kernel::AmendWorkspace amending(const char* hash, std::vector<kernel::ProtectedFile> protect = {}) {
  return {{kernel::WorkspaceHash(hash), 1, 1, std::move(protect)}, "it crashed"};
}

}  // namespace

TEST_CASE("the family may not grow after the first data") {
  const driver::Driver d = with_second_batch();
  REQUIRE(d.study().phase() == kernel::Phase::proposing);
  for (const int family : {3, 5})
    CHECK(d.refusal(kernel::CloseProposals{family}) == "the family was fixed at 4 slots before the first data");
  CHECK(d.refusal(kernel::CloseProposals{4}) == "");
}

TEST_CASE("code is not amended after a verdict on it") {
  const driver::Driver judged = with_second_batch();
  CHECK(judged.refusal(amending("another")) == "H1 has its verdict on the code as it is: other code is another study");

  driver::Driver open(many_arms(2, 6), lower_in_arms);
  open.run([](const kernel::Study& s) { return s.proposals_closed; });
  open.command({"s1", "person", kernel::WithdrawHypothesis{"H2", "it was never meant"}});
  CHECK(open.refusal(amending("another")) == "");
}

TEST_CASE("an amendment may not change a protected file") {
  driver::Driver d(many_arms(2, 6), lower_in_arms);
  d.run([](const kernel::Study& s) { return s.proposals_closed; });
  const kernel::ProtectedFile scores{"evaluate.py", "as it was"};
  d.state.studies.at("s1").workspace.protect = {scores};
  const auto refusal = [&](const kernel::AmendWorkspace& amendment) -> std::string {
    const kernel::Decision decision = kernel::decide(d.state, {"s1", "person", amendment}, {});
    const std::string* why = kernel::why_not(decision.outcome);
    return why ? *why : "";
  };
  CHECK(refusal(amending("another", {scores})) == "");
  const std::string why = "a protected file changed, too: with another evaluator it is another study";
  CHECK(refusal(amending("another", {{"evaluate.py", "changed"}})) == why);
  CHECK(refusal(amending("another", {{"renamed.py", "as it was"}})) == why);
  CHECK(refusal(amending("another")) == why);
}

// The built-in roles, each turn by itself: what it asks for, given a study at a stage. No loop and no runs.
#include <catch2/catch.hpp>

#include "agents/builtin/builtin.h"
#include "tests/kernel/studies/world.h"

namespace {

using kernel::Role;
using kernel::Study;

Study opened(kernel::StudySpec spec) {
  Study study;
  study.id = "s1";
  study.spec = std::move(spec);
  kernel::Node question;
  question.id = "N01";
  study.nodes = {question};
  return study;
}

template <typename Body>
std::vector<Body> all(const std::vector<kernel::Command>& commands) {
  std::vector<Body> list;
  for (const kernel::Command& command : commands)
    if (const auto* body = std::get_if<Body>(&command.body)) list.push_back(*body);
  return list;
}

/// Up to the registration, with fixed replicates and no check.
Study sized(kernel::StudySpec spec) {
  Study study = opened(std::move(spec));
  for (const kernel::Hypothesis& h : study.spec.hypotheses) study.hypotheses.push_back({h, 1, false, "", std::nullopt});
  study.proposals_closed = true;
  study.family = static_cast<int>(study.hypotheses.size());
  study.check.emplace();
  study.sized.emplace();
  return study;
}

}  // namespace

TEST_CASE("hypotheses that the file lists are proposed as they stand, and none is derived") {
  kernel::Hypothesis second = quick_is_faster();
  second.id = "H2";
  second.direction = kernel::Direction::different;
  second.where = {{"n", "100"}};
  const auto commands = agents::builtin_turn(Role::hypothesis, opened(small_spec({quick_is_faster(), second})));
  const auto proposed = all<kernel::ProposeHypothesis>(commands);
  REQUIRE(proposed.size() == 2);
  CHECK(proposed[0].hypothesis.id == "H1");
  CHECK(proposed[0].hypothesis.by == "person");
  CHECK(proposed[0].hypothesis.direction == kernel::Direction::less);
  CHECK(proposed[1].hypothesis.where == second.where);
  REQUIRE(all<kernel::CloseProposals>(commands).size() == 1);
  CHECK(all<kernel::CloseProposals>(commands)[0].family == 2);
  CHECK(std::holds_alternative<kernel::CloseProposals>(commands.back().body));
  for (const kernel::Command& command : commands) {
    CHECK(command.study == "s1");
    CHECK(command.actor == "hypothesis");
  }
}

TEST_CASE("with none listed, every other level is set against its baseline on the primary metric") {
  kernel::StudySpec spec = small_spec();
  spec.factors[0].levels.push_back({"merge", {"merge", std::nullopt}, {}});
  spec.factors[1].baseline.reset();
  kernel::Metric memory;
  memory.name = "peak_mb";
  spec.metrics.insert(spec.metrics.begin(), memory);
  const auto commands = agents::builtin_turn(Role::hypothesis, opened(spec));
  const auto proposed = all<kernel::ProposeHypothesis>(commands);
  REQUIRE(proposed.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const kernel::Hypothesis& h = proposed[i].hypothesis;
    const std::string level = i == 0 ? "quick" : "merge";
    CHECK(h.id == (i == 0 ? "H1" : "H2"));
    CHECK(h.treatment == kernel::Cell{{"algorithm", level}});
    CHECK(h.control == kernel::Cell{{"algorithm", "bubble"}});
    CHECK(h.metric == "time_ms");
    CHECK(h.direction == kernel::Direction::different);  // nobody said which way
    CHECK_FALSE(h.margin);
    CHECK(h.by == "hypothesis");
    CHECK(h.statement.find(level) != std::string::npos);
  }
  CHECK(all<kernel::CloseProposals>(commands).at(0).family == 2);
}

TEST_CASE("the family is the design's where it names one") {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.family = 5;
  CHECK(all<kernel::CloseProposals>(agents::builtin_turn(Role::hypothesis, opened(spec))).at(0).family == 5);
}

TEST_CASE("listing and deriving are told as a decision with what else could have been done") {
  for (const bool listed : {false, true}) {
    const auto spec = listed ? small_spec({quick_is_faster()}) : small_spec();
    const auto nodes = all<kernel::RecordNode>(agents::builtin_turn(Role::hypothesis, opened(spec)));
    REQUIRE(nodes.size() == 1);
    const kernel::Node& node = nodes[0].node;
    CHECK(node.type == kernel::NodeType::decision);
    CHECK(node.parents == std::vector<std::string>{"N01"});
    CHECK(node.fields.at("choice").find(listed ? "listed" : "derived") != std::string::npos);
    CHECK_FALSE(node.fields.at("rationale").empty());
    REQUIRE(node.alternatives.size() == 1);
    CHECK(node.alternatives[0].find(listed ? "derive" : "list") == 0);
  }
}

TEST_CASE("the experiment role checks, sizes and registers, one step a turn") {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.replicates_max = 20;
  Study study = sized(spec);
  study.check.reset();
  study.sized.reset();
  const auto turn = [&] { return agents::builtin_turn(Role::experiment, study); };
  const auto last = [&] { return turn().back().body; };

  REQUIRE(turn().size() == 1);
  CHECK(std::holds_alternative<kernel::RequestSmoke>(last()));
  study.asked_smoke = true;
  CHECK(std::holds_alternative<kernel::JudgeManipulation>(last()));
  study.check.emplace();
  REQUIRE(turn().size() == 1);
  CHECK(std::holds_alternative<kernel::RequestPilot>(last()));
  study.asked_pilot = true;
  CHECK(std::holds_alternative<kernel::SizeSample>(last()));
  study.sized.emplace();
  REQUIRE(std::holds_alternative<kernel::RegisterExperiment>(last()));
  CHECK(std::get<kernel::RegisterExperiment>(last()).hypotheses == std::vector<kernel::HypothesisId>{"H1"});
  study.experiments.emplace_back();
  study.experiments.back().pending = 4;
  CHECK(turn().empty());
}

TEST_CASE("with the replicates fixed nobody asks for a pilot") {
  Study study = sized(small_spec({quick_is_faster()}));
  study.sized.reset();
  const auto commands = agents::builtin_turn(Role::experiment, study);
  CHECK(all<kernel::RequestPilot>(commands).empty());
  CHECK(all<kernel::SizeSample>(commands).size() == 1);
  const kernel::Node node = all<kernel::RecordNode>(commands).at(0).node;
  CHECK(node.type == kernel::NodeType::decision);
  CHECK(node.fields.at("choice").find("6 replicates") == 0);
  CHECK(node.alternatives == std::vector<std::string>{"size the sample from a pilot"});
}

TEST_CASE("the analysis role asks for each ended experiment once, and for none that still runs") {
  Study study = sized(small_spec({quick_is_faster()}));
  for (const auto& [id, pending, analysed] : {std::tuple{"E01", 0, true}, {"E02", 0, false}, {"E03", 1, false}}) {
    kernel::Experiment& e = study.experiments.emplace_back();
    e.registration.experiment = kernel::ExperimentId(id);
    e.pending = pending;
    e.analysed = analysed;
  }
  const auto asked = all<kernel::AnalyseExperiment>(agents::builtin_turn(Role::analysis, study));
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].experiment == "E02");
}

// The built-in roles through whole studies: the graph that they leave, and the claims that they make.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "kernel/codec/codec.h"
#include "kernel/domain/enum_names.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/studies/world.h"

namespace {

using kernel::NodeType;
using kernel::Study;

/// Quicksort takes `quick` ms and bubble sort 20, give or take what the seed says.
fakes::FakeExecutor::Job sorting(double quick) {
  return [quick](const kernel::JobSpec& job) {
    const double noise = static_cast<double>(job.seed * 2654435761u % 1000) / 1000;
    const double own = job.values.at("algorithm") == "quick" ? quick + noise * noise : 20 + noise;
    return fakes::FakeExecutor::succeeded({{"time_ms", own + std::stod(job.values.at("n")) / 1000}});
  };
}

Study finished(World& world, const kernel::StudySpec& spec) {
  world.open(spec);
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  REQUIRE(world.refusals.empty());
  return *loop.state().study("s1");
}

std::vector<kernel::Node> nodes(const Study& study, NodeType type) {
  std::vector<kernel::Node> list;
  for (const kernel::Node& node : study.nodes)
    if (node.type == type) list.push_back(node);
  return list;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// As they were written, before the kernel put in what it recorded.
std::string words(const kernel::Claim& claim) {
  std::string all;
  for (const auto& [field, text] : claim.written) all += field + ": " + text + "\n";
  return all;
}

}  // namespace

TEST_CASE("the roles act in order: hypothesis, experiment, analysis, write-up") {
  kernel::StudySpec spec = small_spec({quick_is_faster()});
  spec.design.replicates_min = 3;
  spec.design.replicates_max = 20;
  World world(sorting(2));
  finished(world, spec);
  std::vector<std::string> acts;
  for (const kernel::Event& e : world.log) {
    if (e.actor == "kernel" || e.actor == "person") continue;
    std::string act = e.actor + " " + std::string(kernel::type_name(e.body));
    if (const auto* runs = std::get_if<kernel::RunsQueued>(&e.body)) act += " " + std::string(name(runs->purpose));
    acts.push_back(act);
  }
  const std::vector<std::string> expected = {"hypothesis HypothesisProposed",
                                             "hypothesis NodeRecorded",
                                             "hypothesis ProposalsClosed",
                                             "experiment RunsQueued smoke",
                                             "experiment NodeRecorded",
                                             "experiment ManipulationChecked",
                                             "experiment RunsQueued pilot",
                                             "experiment NodeRecorded",
                                             "experiment NodeRecorded",
                                             "experiment SampleSized",
                                             "experiment ExperimentRegistered",
                                             "experiment NodeRecorded",
                                             "experiment RunsQueued registered",
                                             "analysis ExperimentAnalysed",
                                             "writeup ClaimRecorded",
                                             "writeup StudyConcluded"};
  CHECK(acts == expected);
}

TEST_CASE("every choice is a decision with its rationale and what was left") {
  World world(sorting(2));
  const Study study = finished(world, small_spec({quick_is_faster()}));
  const auto decisions = nodes(study, NodeType::decision);
  REQUIRE(decisions.size() == 2);  // which hypotheses, how many replicates
  for (const kernel::Node& node : decisions) {
    CHECK_FALSE(node.fields.at("choice").empty());
    CHECK_FALSE(node.fields.at("rationale").empty());
    CHECK_FALSE(node.alternatives.empty());
  }
  // Trials say that they are none.
  for (const kernel::Node& node : nodes(study, NodeType::experiment))
    if (node.experiment.empty()) CHECK(node.fields.at("status") == "scratch");
}

TEST_CASE("a refuted line is a dead end below its experiment, and a supported one is none") {
  kernel::Hypothesis slower = quick_is_faster();
  slower.id = "H2";
  slower.statement = "Quicksort is slower than bubble sort.";
  slower.direction = kernel::Direction::greater;
  World world(sorting(2));
  const Study study = finished(world, small_spec({quick_is_faster(), slower}));
  REQUIRE(study.hypothesis("H1")->result->verdict == kernel::Verdict::supported);
  REQUIRE(study.hypothesis("H2")->result->verdict == kernel::Verdict::refuted);
  const auto dead = nodes(study, NodeType::dead_end);
  REQUIRE(dead.size() == 1);
  CHECK(dead[0].hypothesis == "H2");
  CHECK(dead[0].title == "Refuted: “Quicksort is slower than bubble sort”");
  CHECK(dead[0].fields.at("hypothesis") == "“Quicksort is slower than bubble sort”");
  CHECK(dead[0].written.at("why_failed") == "{{H2.reason}}");
  CHECK(dead[0].fields.at("why_failed") == newest_words(study.hypothesis("H2")->result->reason));
  CHECK_FALSE(dead[0].fields.at("lesson").empty());
  CHECK(dead[0].evidence == std::vector<std::string>{"E01"});
  const auto experiments = nodes(study, NodeType::experiment);
  const auto parent = std::find_if(experiments.begin(), experiments.end(),
                                   [&](const kernel::Node& n) { return n.id == dead[0].parents.at(0); });
  REQUIRE(parent != experiments.end());
  CHECK(parent->experiment == "E01");
}

TEST_CASE("an arm of which no run succeeded is a dead end that says why, once for all hypotheses on it") {
  kernel::Hypothesis again = quick_is_faster();
  again.id = "H2";
  again.direction = kernel::Direction::different;
  const auto job = sorting(2);
  World world([&](const kernel::JobSpec& spec) {
    kernel::ReportEnd report = job(spec);
    if (spec.values.at("algorithm") == "quick") {
      report.outcome.exit = 3;
      report.measurement = {};
    }
    return report;
  });
  const Study study = finished(world, small_spec({quick_is_faster(), again}));
  const auto dead = nodes(study, NodeType::dead_end);
  REQUIRE(dead.size() == 1);
  CHECK(holds(dead[0].title, "algorithm = quick"));
  CHECK(holds(dead[0].fields.at("why_failed"), "3"));
  for (const kernel::Claim& claim : study.claims) CHECK(claim.status == "hypothesis");
}

TEST_CASE("a claim's status is its verdict, and what is written of it is the same whatever was measured") {
  std::string told;
  for (const double quick : {2.0, 20.5, 400.0}) {
    World world(sorting(quick));
    const Study study = finished(world, small_spec({quick_is_faster()}));
    const kernel::HypothesisResult& result = *study.hypotheses.at(0).result;
    REQUIRE(study.claims.size() == 1);
    const kernel::Claim& claim = study.claims[0];
    const std::string status =
        result.verdict == kernel::Verdict::inconclusive ? "hypothesis" : std::string(name(result.verdict));
    CHECK(claim.status == status);
    CHECK(claim.experiment == "E01");
    // A person's words are quoted, never stated.
    CHECK(claim.title == "“Quicksort is faster than bubble sort”");
    CHECK(claim.statement == fmt::format("“Quicksort is faster than bubble sort”, which is {}. The mechanism stated "
                                         "beforehand: “fewer comparisons”.",
                                         name(result.verdict)));
    CHECK(holds(claim.conditions, "n (100, 200)"));
    CHECK(holds(claim.falsification, "time_ms under algorithm = quick compared with algorithm = bubble"));
    CHECK(claim.tags == std::vector<std::string>{"time_ms", "algorithm"});
    CHECK(claim.written.size() == 4);
    if (told.empty()) told = words(claim);
    CHECK(words(claim) == told);
  }
}

TEST_CASE("without a mechanism a claim says that it is attribution") {
  kernel::Hypothesis h = quick_is_faster();
  h.mechanism.clear();
  World world(sorting(2));
  const Study study = finished(world, small_spec({h}));
  CHECK(holds(study.claims.at(0).statement, "Attribution, not mechanism"));
}

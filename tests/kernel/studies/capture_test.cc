// What a person does and says beside the design: on the record, and never evidence.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/codec/codec.h"
#include "kernel/decide/decide.h"
#include "kernel/measure/measure.h"
#include "kernel/runs/job.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "tests/kernel/studies/world.h"

using kernel::NodeType;
using kernel::RunState;

namespace {

kernel::StudySpec work_by_hand() {
  kernel::StudySpec spec;
  spec.title = "Work in sorting";
  spec.question = "What does it show?";
  spec.agents = kernel::person_at_work;
  return spec;
}

kernel::OrderScratch by_hand(const std::string& word, std::vector<std::string> arguments = {"python", "a {b}"}) {
  kernel::OrderScratch made;
  made.order.tool_call = word;
  made.order.arguments = std::move(arguments);
  made.order.command = "python 'a {b}'";
  made.order.folder = "/work/sorting";
  made.order.workspace.hash = kernel::WorkspaceHash("abc");
  made.order.resources.sandbox = kernel::SandboxMode::none;
  made.order.environment.emplace();
  made.order.environment->toolchain.path = {"/venv/bin"};
  made.order.environment->passed.emplace().emplace("PYTHONPATH", "/x");
  return made;
}

kernel::RecordNode remark(NodeType type, const std::string& text, std::vector<std::string> runs = {}) {
  kernel::RecordNode said;
  said.node.type = type;
  said.node.title = text;
  said.node.runs = std::move(runs);
  return said;
}

std::string refusal_to_person(const kernel::State& state, kernel::CommandBody body) {
  const kernel::Decision decision = kernel::decide(state, {"s1", "person", std::move(body)}, {});
  const std::string* why = kernel::why_not(decision.outcome);
  return why ? *why : "";
}

}  // namespace

TEST_CASE("a captured study asks no role, runs what a person orders, and ends by their word") {
  World world([](const kernel::JobSpec&) { return fakes::FakeExecutor::succeeded({{"loss", 0.5}}); });
  world.open(work_by_hand());
  world.say(by_hand("w1"));
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(world.refusals.empty());
  CHECK(study.phase() == kernel::Phase::capturing);
  REQUIRE(study.runs.size() == 1);
  CHECK(study.run(1)->state == RunState::succeeded);
  CHECK(!study.run(1)->evidence());
  CHECK(study.counted.scratch == 1);
  REQUIRE(world.executor.started.size() == 1);
  const kernel::JobSpec& job = world.executor.started.front();
  CHECK(job.in_place == "/work/sorting");
  CHECK(job.command.words == std::vector<std::string>{"python", "a {{b}}"});
  CHECK(job.toolchain.path == std::vector<std::string>{"/venv/bin"});
  CHECK(job.pass == std::vector<std::string>{"PYTHONPATH"});
  REQUIRE(study.nodes.size() == 2);
  CHECK(study.nodes[1].type == NodeType::experiment);
  CHECK(study.nodes[1].runs == std::vector<std::string>{"s1-r1"});
  CHECK(study.workspaces().contains("abc"));

  world.say(remark(NodeType::insight, "It is noisy", {"r1"}));
  world.say(remark(NodeType::dead_end, "Restarts"));
  world.say(kernel::Conclude{});
  loop.run([](const kernel::State& state) { return state.study("s1")->state == kernel::StudyState::ended; });
  CHECK(world.answers == std::vector<std::string>(4, ""));
  CHECK(study.outcome == kernel::StudyOutcome::concluded);
  CHECK(study.claims.empty());
  CHECK(study.nodes[2].parents == std::vector<std::string>{"N02"});
  CHECK(study.nodes[2].runs == std::vector<std::string>{"s1-r1"});
  CHECK(study.nodes[2].by == "person");
  CHECK(study.nodes[3].fields.at("why_failed") == "no reason was given");
  // What replay makes of it is the same.
  CHECK(kernel::graph_shape(*world.replayed().study("s1")) == kernel::graph_shape(study));
}

TEST_CASE("what is ordered by hand survives the log") {
  World world([](const kernel::JobSpec&) { return fakes::FakeExecutor::succeeded({}); });
  world.open(work_by_hand());
  world.say(by_hand("w1"));
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  CHECK(study.thinking.orders.at(1).by_hand());
  for (const kernel::Event& event : world.log) {
    const kernel::EventBody back =
        kernel::decode(kernel::type_name(event.body), kernel::event_version, kernel::encode(event.body));
    CHECK(kernel::encode(back) == kernel::encode(event.body));
    const auto* queued = std::get_if<kernel::RunsQueued>(&back);
    if (!queued) continue;
    REQUIRE(queued->order);
    CHECK(queued->order->by_hand());
    CHECK(queued->order->folder == "/work/sorting");
    CHECK(queued->order->environment->passed->at("PYTHONPATH") == "/x");
  }
  // What came with people's work is in no other record: logs from before it stay what they were.
  kernel::RunsQueued of_an_agent;
  of_an_agent.order.emplace().command = "ls";
  const std::string agents = kernel::encode(of_an_agent), node = kernel::encode(kernel::NodeRecorded{});
  for (const char* member : {"arguments", "folder", "environment", "\"by\"", "\"runs\":[\"", "\"runs\":[]"}) {
    INFO(member);
    if (std::string(member).find("runs") == std::string::npos) CHECK(agents.find(member) == std::string::npos);
    CHECK(node.find(member) == std::string::npos);
  }
}

TEST_CASE("a command by hand is not run again by itself") {
  World world([](const kernel::JobSpec&) {
    kernel::ReportEnd report = fakes::FakeExecutor::succeeded({});
    report.outcome.exit = 75;
    return report;
  });
  world.open(work_by_hand());
  world.say(by_hand("w1"));
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const kernel::Study& study = *loop.state().study("s1");
  REQUIRE(study.runs.size() == 1);
  CHECK(study.run(1)->state == RunState::failed);
  CHECK(kernel::newest_words(study.run(1)->reason) == "exit status 75");
}

TEST_CASE("what a person orders or says is refused where it cannot be meant") {
  World world([](const kernel::JobSpec&) { return fakes::FakeExecutor::succeeded({}); });
  world.open(work_by_hand());
  world.say(by_hand("w1"));
  kernel::Loop loop(world.parts());
  loop.run(World::at_rest);
  const kernel::State& state = loop.state();
  CHECK(refusal_to_person(state, by_hand("w1")) == "it was ordered already");
  CHECK(refusal_to_person(state, by_hand("")) == "an order of a person's has a word of its own");
  CHECK(refusal_to_person(state, by_hand("w2", {""})) == "there is no command");
  CHECK(refusal_to_person(state, by_hand("w2", {"a", std::string(40'000, 'x')})).find("write a script") !=
        std::string::npos);
  CHECK(refusal_to_person(state, by_hand("w2", {"a\xff"})) == "the command is no UTF-8");
  kernel::OrderScratch caged = by_hand("w2");
  caged.order.resources.sandbox = kernel::SandboxMode::automatic;
  CHECK(refusal_to_person(state, caged) == "what runs in place runs in no sandbox");
  CHECK(refusal_to_person(state, remark(NodeType::insight, " \n")) == "there is nothing to record");
  CHECK(refusal_to_person(state, remark(NodeType::insight, std::string(4001, 'x'))).find("4000") != std::string::npos);
  CHECK(refusal_to_person(state, remark(NodeType::insight, "a\xff")) == "the text: it is no UTF-8");
  CHECK(refusal_to_person(state, remark(NodeType::insight, "a", {"r2"})) == "there is no run r2");
  CHECK(refusal_to_person(state, remark(NodeType::insight, "a", {"s2-r1"})) == "there is no run s2-r1");
  CHECK(refusal_to_person(state, remark(NodeType::pivot, "a")) == "a person records notes, decisions and dead ends");
  kernel::RecordNode about = remark(NodeType::insight, "a");
  about.node.hypothesis = "H1";
  CHECK(refusal_to_person(state, about) == "there is no hypothesis H1");
  // Titles are one line, cut between characters.
  std::string umlauts;
  for (int i = 0; i < 150; ++i) umlauts += "ü";
  const auto events = kernel::decide(state, {"s1", "person", remark(NodeType::decision, umlauts)}, {}).events;
  const kernel::Node& node = std::get<kernel::NodeRecorded>(events.front().body).node;
  CHECK(node.title.size() <= 200);
  CHECK(node.title.ends_with("ü…"));
  CHECK(node.fields.at("choice") == umlauts);
}

TEST_CASE("in a study with a design nothing runs in place, and an agent's order is no person's") {
  World world(honest);
  world.executor.silent = true;
  world.open(small_spec({quick_is_faster()}));
  kernel::Loop loop(world.parts());
  loop.run([&](const kernel::State&) { return world.executor.started.size() == 2; });
  const kernel::State& state = loop.state();
  CHECK(refusal_to_person(state, by_hand("w1")).find("nothing runs in place") != std::string::npos);
  kernel::OrderScratch copied = by_hand("w1");
  copied.order.folder.clear();
  CHECK(refusal_to_person(state, copied) == "");
  const kernel::Decision decision = kernel::decide(state, {"s1", "experiment", copied}, {});
  CHECK(std::get<kernel::Rejection>(decision.outcome).reason == "only a person runs a command by hand");
  CHECK(refusal_to_person(state, kernel::Conclude{}).find("belongs to the stage") != std::string::npos);
}

TEST_CASE("of what a captured command reports the last finite value of each name counts") {
  kernel::Sources sources;
  const std::string text =
      "{\"name\":\"loss\",\"value\":2}\n{\"name\":\"loss\",\"value\":1}\n{\"name\":\"loss\",\"value\":NaN}\n"
      "{\"name\":\"acc\",\"value\":0.5}\nno metric\n";
  sources.metrics_file = text;
  const kernel::Measured measured = kernel::measure(work_by_hand(), sources);
  REQUIRE(measured.measurement.values.size() == 2);
  CHECK(measured.measurement.values.at("loss").value == 1);
  CHECK(measured.measurement.values.at("acc").value == 0.5);
  CHECK(measured.measurement.malformed == 1);
  CHECK(!measured.measurement.verdict);
}

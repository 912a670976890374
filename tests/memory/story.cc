#include "tests/memory/story.h"

#include <fstream>
#include <iterator>
#include <limits>

#include "base/digest.h"
#include "kernel/wording/wording.h"
#include "memory/log/value_codec.h"

namespace story {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

kernel::Event Teller::tell(const std::string& study, kernel::EventBody body) {
  now_.wall_ms += 7;
  now_.boot_ms += 5;
  kernel::Event event{study, "kernel", now_, std::move(body)};
  kernel::apply(state, event);
  return event;
}

kernel::Event Teller::open(const std::string& id) {
  kernel::StudyOpened opened;
  opened.id = id;
  opened.spec.title = "Sorting in study " + id;
  opened.spec.question = "Which is faster? \u00e9\u4e16";
  kernel::Factor algorithm;
  algorithm.name = "algorithm";
  for (const char* level : {"bubble", "quick"}) algorithm.levels.push_back({level, {level, std::nullopt}, {}});
  opened.spec.factors = {algorithm};
  kernel::Metric metric;
  metric.name = "time_ms";
  metric.primary = true;
  opened.spec.metrics = {metric};
  opened.text = "etude: 1\n";
  opened.boot_id = "boot-1";
  opened.workspace = workspace;
  return tell(id, std::move(opened));
}

kernel::Event Teller::queue(const std::string& id, int count, kernel::Purpose purpose, int retry_of) {
  kernel::RunsQueued queued;
  queued.purpose = purpose;
  if (purpose == kernel::Purpose::registered) queued.experiment = "E01";
  queued.cells = {{{"algorithm", "bubble"}}, {{"algorithm", "quick"}}};
  const int first = static_cast<int>(state.study(id)->runs.size()) + 1;
  for (int i = 0; i < count; ++i)
    queued.runs.push_back({first + i, i % 2, 18446744073709551615u - static_cast<unsigned>(i), i / 2 + 1, retry_of,
                           retry_of ? 2 : 1, ""});
  return tell(id, std::move(queued));
}

kernel::Event Teller::end(const std::string& id, int run, kernel::RunState how) {
  kernel::RunEnded ended;
  ended.run = run;
  ended.state = how;
  ended.outcome.run = state.study(id)->run_id(run);
  ended.outcome.started_ms = now_.wall_ms;
  ended.outcome.ended_ms = now_.wall_ms + 3;
  ended.outcome.usage = {0.1 * run, 0.3, 1 << 20, 10, 20};
  ended.measurement.values["time_ms"] = {1.0 / run, run % 3 == 0, false};
  ended.measurement.values["odd"] = {std::numeric_limits<double>::quiet_NaN(), false, true};
  ended.measurement.metrics = metrics;
  ended.out_log = out_log;
  ended.outputs = outputs;
  if (how == kernel::RunState::failed) ended.reason = kernel::as_said("exit 1: \xff not text");
  return tell(id, std::move(ended));
}

std::vector<kernel::Event> Teller::whole(const std::string& id) {
  using namespace kernel;
  std::vector<Event> told;
  const auto say = [&](EventBody body) { told.push_back(tell(id, std::move(body))); };
  told.push_back(open(id));
  Node node;
  node.id = "N01";
  node.title = "Which is faster?";
  say(NodeRecorded{node});
  Hypothesis h;
  h.id = "H1";
  h.statement = "Quick is faster.";
  h.metric = "time_ms";
  h.treatment = {{"algorithm", "quick"}};
  h.control = {{"algorithm", "bubble"}};
  say(HypothesisProposed{h, 1, false});
  say(ProposalsClosed{1});
  told.push_back(queue(id, 1, Purpose::smoke));
  say(RunStarting{1, LaunchToken("token-1")});
  say(RunStarted{1});
  told.push_back(end(id, 1));
  say(ManipulationChecked{false, {{"algorithm", kernel::as_said("changes nothing"), true}}});
  say(CodeCompared{WorkspaceHash(sha256_hex("original")),
                   WorkspaceHash(sha256_hex("amended")),
                   {},
                   {{{{"algorithm", "bubble"}}, "time_ms", 1.5, 1.5, 2.5}},
                   {{"error", 0.25, -0.5, 1, 0.75}}});
  SearchPlan plan;
  plan.registered.experiment = "S01";
  plan.registered.cells = {{{"algorithm", "quick"}}};
  plan.baseline = Cell{{"algorithm", "bubble"}};
  plan.rungs = {{1, 2, 0, "", false}};
  say(SearchRegistered{plan, sha256_hex("plan")});
  RungRanked ranked{"S01", 1, {}, {}, true};
  ranked.candidates.push_back({{{"algorithm", "quick"}}, 2, 0, 0.5, 0.25, false, false, true});
  ranked.effects.push_back({{"algorithm"}, "bubble", "quick", -0.5, 0.1, 3, -0.9, -0.1, {2, 2}, {0, 1}, true});
  say(ranked);
  say(SampleSized{{{"H1", 2, 0.8, 1.5, kernel::as_said("by Stein")}}, {kernel::as_said("skewed")}});
  Registration registration;
  registration.experiment = "E01";
  registration.hypotheses = {h};
  say(ExperimentRegistered{registration, sha256_hex(id)});
  told.push_back(queue(id, 4));
  say(RunStarting{2, LaunchToken("token-2")});
  say(RunRequeued{2, kernel::as_said("its claim was voided")});
  for (int run = 2; run <= 5; ++run) {
    say(RunStarting{run, LaunchToken("token-" + std::to_string(run))});
    say(RunStarted{run});
    told.push_back(end(id, run, run == 3 ? RunState::lost : run == 4 ? RunState::failed : RunState::succeeded));
  }
  told.push_back(queue(id, 1, Purpose::registered, 3));
  say(RunStarting{6, LaunchToken("token-6"), {2, 1 << 30, {"GPU-5f1c"}}, 3});
  say(RunCancellationRequested{6});
  told.push_back(end(id, 6));
  told.push_back(queue(id, 1));
  say(ArmStopped{"E01",
                 {{{"algorithm", "quick"}}},
                 {7},
                 "exit 1: IndexError",
                 {kernel::ReasonCode::arm_stopped,
                  {{"arm", "algorithm = quick"},
                   {"runs", 3},
                   {"reason", std::vector{kernel::Reason{kernel::ReasonCode::exit_status, {{"status", 1}}}}}}}});
  say(StudySteered{"look at larger inputs"});
  say(GateOpened{{id + "-g1", 0, GateOn::conclude, {ReasonCode::gate_conclude}}});
  say(GateDecided{id + "-g1", true, as_said("fine")});
  Gate of_tool{id + "-g2", -1, GateOn::question, as_said("which sizes matter")};
  of_tool.call = 1;
  of_tool.tool_call = "call_1";
  say(GateOpened{of_tool});
  say(NoteTaken{"it sorts in place"});
  say(RequirementBound{
      {"R1", false, "It sorts.", "engineer", {}, "sort.py", 1, 4, WorkspaceHash("hash"), "", Judgement::open, ""}});
  say(RequirementJudged{"R1", true, "sort.py does"});
  say(SectionWritten{{"summary", "writeup", "It is 3.", {{"summary", "It is {{H1.effect}}."}}}});
  say(StudyForked{"s0", 12, sha256_hex("s0"), {}});
  say(StudyPaused{PauseReason::person, kernel::as_said("lunch")});
  say(StudyResumed{"boot-2", 3, {}});
  HypothesisResult result;
  result.id = "H1";
  result.verdict = Verdict::supported;
  result.effect = -0.125;
  say(IntegrityFound{"E01", "time_ms", kernel::as_said("time_ms is declared deterministic but varied"), {2, 5}});
  InterimLook look{"E01", 1, 0.5, {result}, {"H2"}};
  look.results.front().look = LookResult{1, 2, 0.5, 0.0125};
  say(look);
  say(BatchOpened{2, as_said("the first says where to look")});
  say(HypothesisWithdrawn{"H1", as_said("a better one is known"), {}});
  say(WorkspaceAmended{"it crashed", workspace, "E01", true, {}});
  CodeStep step{"improve-4", CodeOperator::improve, {"v2"}, 2};
  say(CodePlanned{2, {step}});
  say(CodeProposed{{"v4", step.id, step.op, step.parents, "it sorts runs first", workspace, answer}});
  say(CodePlanned{2, {}, {ReasonCode::wall_kept_for_confirming}});
  say(LineOpened{"hypothesis-1", "hypothesis", "what to test"});
  say(ModelAsked{1, "hypothesis-1", "small", request, 5000, 0.25});
  say(CallBatched{1, "batch_1", "http://127.0.0.1:8000/v1", 86400000});
  say(ModelAnswered{1, {reply, {}, {100, 20, 3, 4}, 0.125, false, 2, 1.5}});
  say(ToolReturned{1, {"call_1", "read_file", answer, true}});
  say(ModelAsked{2, "hypothesis-1", "small", request, 5000, 0.25});
  say(LineEnded{"hypothesis-1", as_said("proposed one")});
  say(ExperimentAnalysed{"E01", {result}});
  node.id = "N02";
  node.type = NodeType::experiment;
  node.parents = {"N01"};
  state_text(node, "result", {ReasonCode::selected_for_confirmation});
  say(NodeRecorded{node});
  Claim claim;
  claim.id = "C01";
  claim.hypothesis = "H1";
  claim.status = "supported";
  say(ClaimRecorded{claim});
  say(CancellationRequested{as_said("late"), {}});
  say(StudyConcluded{StudyOutcome::concluded, {}});
  say(PicturesDrawn{{{"evidence/figures/effects_E01.svg", {}}}, "gnuplot cannot be started"});
  say(ArtifactPackaged{"/tmp/ara", "/tmp/ara/report.html", sha256_hex("head")});
  say(StudyEnded{StudyOutcome::concluded, {}});
  return told;
}

std::string state_bytes(const kernel::Study& study) {
  memory::ValueWriter writer;
  writer.add(study);
  return writer.take();
}

}  // namespace story

// Tools that read the study and record in it.
#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/tools/tool_use.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/domain/study_spec.h"
#include "kernel/views/plan.h"
#include "kernel/views/shapes.h"
#include "studyfile/load.h"

namespace agents {

using kernel::Study;
using nlohmann::json;

namespace {

constexpr double longest_run_s = 3600;

json requirements_of(const kernel::Journal& journal) {
  json list = json::array();
  for (const kernel::StudyRequirement& one : journal.thinking.requirements)
    list.push_back({{"id", one.id},
                    {"of", one.question          ? "question"
                           : one.version.empty() ? "method"
                                                 : "method, of " + one.version},
                    {"text", one.text}});
  return list;
}

ToolResult plan(const ToolInput& use) {
  const json shape = kernel::study_shape(use.study, "");
  json hypotheses = json::array();
  for (const kernel::HypothesisRecord& record : use.study.hypotheses)
    hypotheses.push_back({{"id", record.hypothesis.id}, {"statement", record.hypothesis.statement}});
  const json state = {{"hypotheses", std::move(hypotheses)},
                      {"stage", kernel::name(use.study.phase())},
                      {"requirements", requirements_of(use.study)},
                      {"runs", shape.at("runs")}};  // No times and no money, which differ in a replay.
  return say(quoted("the study file", use.study.text, most_shown) + "\n" +
             quoted("where the study stands", state.dump(1), most_shown));
}

ToolResult read_results(const ToolInput& use) {
  json list = json::array();
  for (const kernel::HypothesisRecord& record : use.study.hypotheses)
    list.push_back(kernel::hypothesis_shape(record, use.study));
  if (list.empty()) return say("There are no hypotheses yet.");
  return say(quoted("the kernel's record", list.dump(1, ' ', false, json::error_handler_t::replace), 4 * most_shown));
}

ToolResult propose_hypothesis(const ToolInput& use) {
  json item = use.arguments;
  kernel::HypothesisId id;
  for (std::size_t n = use.study.hypotheses.size() + 1; id.empty() || use.study.hypothesis(id); ++n)
    id = kernel::HypothesisId(fmt::format("H{}", n));
  item["id"] = id;
  for (const char* ours : {"confidence", "difference"}) item.erase(ours);
  std::vector<kernel::Hypothesis> known;
  for (const kernel::HypothesisRecord& record : use.study.hypotheses) known.push_back(record.hypothesis);
  auto hypothesis = studyfile::read_proposal(item.dump(), use.study.spec, known);
  if (!hypothesis) return refuse(hypothesis.problem().text());
  hypothesis->by = std::string(use.role);
  hypothesis->difference = use.text("difference");
  hypothesis->confidence = use.arguments.at("confidence").get<double>();
  return ask(kernel::ProposeHypothesis{std::move(*hypothesis)}, "Proposed as " + id + ".");
}

kernel::Node node_of(const ToolInput& use, kernel::NodeType type, std::initializer_list<const char*> fields) {
  kernel::Node node;
  node.type = type;
  node.title = use.text("title");
  node.parents = {use.study.nodes.back().id};
  for (const char* field : fields) node.fields[field] = use.text(field);
  return node;
}

ToolResult record_decision(const ToolInput& use) {
  kernel::Node node = node_of(use, kernel::NodeType::decision, {"choice", "rationale"});
  node.alternatives = use.arguments.at("alternatives").get<std::vector<std::string>>();
  return ask(kernel::RecordNode{std::move(node)}, "Recorded.");
}

ToolResult record_dead_end(const ToolInput& use) {
  return ask(kernel::RecordNode{node_of(use, kernel::NodeType::dead_end,
                                        {"hypothesis", "failure_mode", "why_failed", "lesson"})},
             "Recorded.");
}

ToolResult change_direction(const ToolInput& use) {
  kernel::Node node = node_of(use, kernel::NodeType::pivot, {"from", "to"});
  node.fields["trigger"] = use.text("why");
  if (use.study.phase() != kernel::Phase::concluding) return refuse("the study goes on already: finish");
  if (static_cast<int>(use.study.hypotheses.size()) >= use.study.family)
    return refuse("the family is full: what follows is for another study");
  ToolResult result =
      ask(kernel::RecordNode{std::move(node)}, "The study goes on with further hypotheses; finish now.");
  result.then.emplace_back(kernel::OpenBatch{use.text("why")});
  return result;
}

/// Refuses now what could not be registered later, while it can still be changed.
ToolResult register_experiment(const ToolInput& use) {
  const Study& study = use.study;
  const auto batch = study.open_batch();
  if (study.phase() != kernel::Phase::proposing) return refuse("the proposals are closed already: finish");
  if (batch.empty()) return refuse("no hypothesis has been proposed");
  kernel::StudySpec spec = study.spec;
  spec.hypotheses.clear();
  for (const kernel::HypothesisRecord* record : batch) spec.hypotheses.push_back(record->hypothesis);
  if (study.family > 0) spec.design.family = study.family;
  const kernel::StudyPlan planned = kernel::plan_of(spec);
  for (const kernel::PlannedHypothesis& one : planned.hypotheses)
    if (one.refused) return refuse(one.hypothesis.id + ": " + one.note);
  if (!planned.shortfall.empty()) return refuse(planned.shortfall);
  std::string text = fmt::format(
      "The kernel registers them as one batch, in a family of {}, once the manipulation "
      "check has passed and what is required is met:",
      planned.family);
  for (const kernel::PlannedHypothesis& one : planned.hypotheses)
    text += fmt::format("\n- {}: {} to {} replicates. {}", one.hypothesis.id, one.replicates.least, one.replicates.most,
                        one.note);
  ToolResult result = say(std::move(text));
  result.finished = use.text("summary");
  return result;
}

/// Factors that are not named have the level at which the manipulation check starts.
ToolResult request_runs(const ToolInput& use) {
  const kernel::StudySpec& spec = use.study.spec;
  kernel::Cell cell = kernel::reference_cell(spec);
  for (const auto& [factor, level] : use.arguments.at("settings").items()) {
    if (spec.code && factor == kernel::code_factor) return refuse("what runs is the code of your branch");
    cell[factor] = level.is_string() ? level.get<std::string>() : level.dump();
  }
  ToolResult result;
  kernel::ScratchOrder& order = result.scratch.emplace();
  for (const std::string& word : spec.run.words) order.command += (order.command.empty() ? "" : " ") + word;
  order.cell = std::move(cell);
  const double usual = std::min(spec.resources.timeout_s.value_or(longest_run_s), longest_run_s);
  // The same limits as a run that counts, or the job could tell them apart. Agents' code stays confined.
  order.resources = spec.resources;
  order.resources.network = false;
  order.resources.sandbox = kernel::SandboxMode::automatic;
  order.resources.timeout_s = use.arguments.value("timeout", usual);
  return result;
}

ToolResult read_log(const ToolInput& use) {
  const kernel::Run* run = use.study.run(use.arguments.at("run").get<int>());
  if (!run || run->purpose != kernel::Purpose::smoke) return refuse("there is no such smoke run");
  if (!run->ended()) return refuse("it has not ended yet");
  const bool out = use.arguments.value("stream", std::string("stderr")) == "stdout";
  ToolResult result;
  result.shows = out ? run->out_log : run->err_log;
  result.label = fmt::format("{} of r{}", out ? "stdout" : "stderr", run->number);
  if (result.shows.sha256.empty()) result.text = "It printed nothing there.";
  return result;
}

}  // namespace

std::vector<NamedTool> tools_of_study() {
  return {
      {"plan", plan},
      {"read_results", read_results},
      {"propose_hypothesis", propose_hypothesis},
      {"record_decision", record_decision},
      {"record_dead_end", record_dead_end},
      {"read_log", read_log},
      {"change_direction", change_direction},
      {"register_experiment", register_experiment},
      {"request_runs", request_runs},
  };
}

}  // namespace agents

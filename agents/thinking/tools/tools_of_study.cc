// Tools that read the study and record in it.
#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/tools/tool_use.h"
#include "kernel/binding/address_list.h"
#include "kernel/binding/addresses.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/domain/study_spec.h"
#include "kernel/views/plan.h"
#include "kernel/wording/wording.h"

namespace agents {

using kernel::Study;
using nlohmann::json;

namespace {

constexpr double longest_run_s = 3600;

/// The values of results with their addresses, so that a text can copy an address and see what it says.
ToolResult read_results(const ToolInput& use) {
  std::string list;
  for (const kernel::HypothesisRecord& record : use.study.hypotheses) {
    list += fmt::format("{}: {}\n", record.hypothesis.id, record.hypothesis.statement);
    if (!record.result) list += "  no verdict yet\n";
    for (const auto& [address, value] : kernel::addresses_of(use.study, record))
      list += fmt::format("  {{{{{}}}}} is {}\n", address, value);
    if (!record.result) continue;
    for (const kernel::Reason& warning : record.result->warnings)
      list += "  warning: " + sentence(warning, use.study.wording) + "\n";
  }
  if (list.empty()) return say("There are no hypotheses yet.");
  for (const char* address : {"runs.total", "hypotheses.total", "hypotheses.judged", "hypotheses.supported"})
    if (const auto value = kernel::value_at(use.study, address); const auto* text = std::get_if<std::string>(&value))
      list += fmt::format("{{{{{}}}}} is {}\n", address, *text);
  return say(quoted("the kernel's record", list, 4 * most_shown));
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

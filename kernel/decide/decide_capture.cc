// What a person does outside the design: commands run by hand, notes, decisions and dead ends. All of it is recorded,
// and none of it is evidence: a claim needs a hypothesis that was registered before its runs.
#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"
#include "kernel/decide/decider.h"
#include "kernel/wording/wording.h"

namespace kernel {

namespace {

constexpr std::size_t most_command_bytes = 32'000, most_said_bytes = 4000, most_said = 2000, most_title = 200;

/// The first line, shortened to the length of a title.
std::string title_of(const std::string& text) {
  std::string title = text.substr(0, text.find('\n'));
  if (title.size() <= most_title) return title;
  return std::string(utf8_prefix(title, most_title - 3)) + "…";
}

std::string refused_text(const std::string& name, const std::string& text) {
  if (text.size() > most_said_bytes) return fmt::format("{}: more than {} bytes are no remark", name, most_said_bytes);
  if (!valid_utf8(text)) return name + ": it is no UTF-8";
  if (text.find('\0') != text.npos) return name + ": it holds a NUL";
  return "";
}

std::string refused_texts(const Node& node) {
  if (node.title.find_first_not_of(" \t\r\n") == std::string::npos) return "there is nothing to record";
  std::string why = refused_text("the text", node.title);
  for (const auto& [name, text] : node.fields)
    if (why.empty()) why = refused_text(name, text);
  for (const std::string& alternative : node.alternatives)
    if (why.empty()) why = refused_text("an alternative", alternative);
  return why;
}

/// The node of a run that a person ran; null if there is none.
const Node* node_of_run(const Exploration& study, const std::string& run) {
  for (const Node& node : study.nodes)
    if (node.type == NodeType::experiment && node.runs == std::vector<std::string>{run}) return &node;
  return nullptr;
}

/// Puts a person's words into the fields of the artifact's format.
void name_fields(Node& node, const std::string& text) {
  const auto unsaid = [&](const char* field, ReasonCode code) {
    if (node.fields[field].empty()) state_text(node, field, {code});
  };
  if (node.type == NodeType::insight) node.fields["description"] = text;
  if (node.type == NodeType::decision) {
    node.fields["choice"] = text;
    if (node.fields["rationale"].empty()) node.fields.erase("rationale");
  }
  if (node.type != NodeType::dead_end) return;
  node.fields["hypothesis"] = text;
  unsaid("why_failed", ReasonCode::why_unsaid);
  node.fields["failure_mode"] = node.fields["why_failed"];
  if (node.stated.contains("why_failed")) node.stated["failure_mode"] = node.stated["why_failed"];
  unsaid("lesson", ReasonCode::lesson_unsaid);
}

}  // namespace

Decision Decider::order_by_hand(const ScratchOrder& order) {
  if (study->cancelling || study->outcome) return Rejection{"the study concludes already"};
  if (study->state == StudyState::paused)
    return Paused{fmt::format("study {} is paused: `etude resume {}` first", command.study, command.study)};
  if (order.call != 0 || order.tool_call.empty()) return Rejection{"an order of a person's has a word of its own"};
  if (study->thinking.ordered(0, order.tool_call) > 0) return Rejection{"it was ordered already"};
  if (order.arguments.empty() || order.arguments.front().empty()) return Rejection{"there is no command"};
  std::size_t bytes = 0;
  for (const std::string& word : order.arguments) {
    bytes += word.size() + 1;
    if (!valid_utf8(word)) return Rejection{"the command is no UTF-8"};
  }
  if (bytes > most_command_bytes)
    return Rejection{fmt::format("more than {} bytes are no command: write a script", most_command_bytes)};
  if (!order.folder.empty() && !study->spec.captured())
    return Rejection{"the runs of a study have a copy of its workspace: nothing runs in place"};
  if (!order.folder.empty() && order.resources.sandbox != SandboxMode::none)
    return Rejection{"what runs in place runs in no sandbox"};
  RunsQueued queued = scratch_run(*study, order, "by hand", fresh);
  queued.order->line = person_actor;
  const std::string run = study->run_id(queued.runs.front().number);
  emit(std::move(queued));
  Node node;
  node.type = NodeType::experiment;
  node.title = title_of(order.command);
  node.parents = {study->nodes.back().id};
  node.fields["status"] = "scratch";
  node.by = person_actor;
  node.runs = {run};
  emit_node(std::move(node));
  return done();
}

Decision Decider::record_by_hand(Node node) {
  if (study->outcome) return Rejection{"the study has said all it will"};
  if (node.type != NodeType::insight && node.type != NodeType::decision && node.type != NodeType::dead_end)
    return Rejection{"a person records notes, decisions and dead ends"};
  if (std::string why = refused_texts(node); !why.empty()) return Rejection{std::move(why)};
  const auto said = std::ranges::count_if(
      study->nodes, [](const Node& n) { return !n.by.empty() && n.type != NodeType::experiment; });
  if (said >= static_cast<std::ptrdiff_t>(most_said))
    return Rejection{fmt::format("there are {} remarks already", most_said)};
  if (!node.hypothesis.empty() && !study->hypothesis(node.hypothesis))
    return Rejection{"there is no hypothesis " + node.hypothesis};
  node.parents.clear();
  for (std::string& id : node.runs) {
    // `r3` means a run of this study.
    const int number = run_number(id.starts_with("r") ? command.study + "-" + id : id);
    if (!study->run(number) || (!id.starts_with("r") && run_study(id) != command.study))
      return Rejection{"there is no run " + id};
    id = study->run_id(number);
    if (const Node* run = node_of_run(*study, id)) node.parents.push_back(run->id);
  }
  if (node.parents.empty()) node.parents = {study->nodes.back().id};
  name_fields(node, node.title);
  node.title = title_of(node.title);
  node.by = person_actor;
  emit_node(std::move(node));
  return done();
}

Decision Decider::end_capture() {
  if (study->cancelling || study->outcome) return Rejection{"the study concludes already"};
  if (study->state == StudyState::paused)
    return Paused{fmt::format("study {} is paused: `etude resume {}` first", command.study, command.study)};
  if (!study->live.empty() || !study->queue.empty())
    return Rejection{fmt::format("{} has not ended",
                                 study->run_id(study->live.empty() ? study->queue.front() : *study->live.begin()))};
  return record(StudyConcluded{StudyOutcome::concluded, {ReasonCode::captured_only}});
}

}  // namespace kernel

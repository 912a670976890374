// Tools that ask something of the kernel, of a person or of the machine.

#include <fmt/format.h>

#include "agents/thinking/tools/tool_use.h"
#include "agents/thinking/workspace/source_lines.h"
#include "base/kept_lines.h"
#include "kernel/wording/wording.h"

namespace agents {

namespace {

/// Why these lines are not in the file; empty if they are.
std::string no_such_lines(const ToolInput& use, const kernel::StudyRequirement& bound) {
  const std::optional<std::string> text = use.branch.read(bound.file);
  if (!text) return "there is no file " + bound.file + " in the workspace" + nearest_file(use.branch, bound.file);
  const auto lines = static_cast<int>(kernel::lines_of(*text).size());
  if (bound.from < 1 || bound.to < bound.from || bound.to > lines)
    return fmt::format("say from_line and to_line: {} has {} lines", bound.file, lines);
  return "";
}

/// Why the lines cannot be what does something in a run; empty if they can.
kernel::Reason no_working_lines(const ToolInput& use, const kernel::StudyRequirement& bound) {
  const std::string text = use.branch.read(bound.file).value_or("");
  if (!does_something(bound.file, text, bound.from, bound.to))
    return {kernel::ReasonCode::bound_to_nothing, {{"file", bound.file}, {"from", bound.from}, {"to", bound.to}}};
  std::vector<std::string> paths;
  for (const Files::Entry& entry : use.branch.entries()) paths.push_back(entry.path);
  const auto opened =
      opened_by(use.means.commands, paths, [&](const std::string& path) { return use.branch.read(path); });
  if (opened.empty() || opened.contains(bound.file)) return {};
  return {kernel::ReasonCode::bound_to_unused, {{"file", bound.file}}};
}

ToolResult bind_requirement(const ToolInput& use) {
  kernel::StudyRequirement bound;
  bound.id = use.text("id");
  bound.question = use.text("of") == "question";
  bound.text = use.text("text");
  bound.hypotheses = use.arguments.value("hypotheses", std::vector<kernel::HypothesisId>{});
  bound.file = use.text("file");
  bound.from = use.arguments.value("from_line", 0);
  bound.to = use.arguments.value("to_line", bound.from);
  bound.unmet = use.text("unmet");
  if (bound.id.empty() && (bound.text.empty() || use.text("of").empty()))
    return refuse(
        R"(a new requirement needs `of` and `text`: {"of": "method", "text": "…", "file": "…", "from_line": 1, "to_line": 2} or {"of": "question", "text": "…", "hypotheses": ["H1"]})");
  if (!bound.file.empty())
    if (std::string wrong = no_such_lines(use, bound); !wrong.empty()) return refuse(std::move(wrong));
  if (!bound.file.empty())
    if (kernel::Reason why = no_working_lines(use, bound); !why.empty()) {
      ToolResult result = refuse(newest_words(why));
      result.why = std::move(why);
      return result;
    }
  if (bound.id.empty()) bound.by = std::string(use.role);
  return ask(kernel::BindRequirement{std::move(bound)}, "Recorded.");  // The conversation adds the id.
}

ToolResult judge_requirement(const ToolInput& use) {
  return ask(kernel::JudgeRequirement{use.text("id"), use.arguments.at("met").get<bool>(), use.text("why")},
             "Recorded.");
}

ToolResult note(const ToolInput& use) {
  return ask(kernel::TakeNote{use.text("text")}, "Noted.");
}

ToolResult run_scratch(const ToolInput& use) {
  ToolResult result;
  kernel::ScratchOrder& order = result.scratch.emplace();
  order.command = use.text("command");
  order.resources.timeout_s = use.arguments.value("timeout", 120);
  order.resources.gpus = use.arguments.value("gpus", 0);
  return result;
}

ToolResult ask_person(const ToolInput& use) {
  ToolResult result;
  result.question = use.text("question");
  return result;
}

ToolResult write_section(const ToolInput& use) {
  return ask(kernel::WriteSection{use.text("name"), use.text("text")}, "Written.");
}

}  // namespace

std::vector<NamedTool> tools_that_ask() {
  return {
      {"ask_person", ask_person},
      {"bind_requirement", bind_requirement},
      {"judge_requirement", judge_requirement},
      {"note", note},
      {"run_scratch", run_scratch},
      {"write_section", write_section},
  };
}

}  // namespace agents

// Agents at a search over code: engineers write versions, a reviewer reads the best ones.
#include <algorithm>

#include "kernel/search/code_search.h"
#include "kernel/study/requirements.h"
#include "tests/sim/conversations.h"

namespace sim {

using kernel::ReasonCode;
using kernel::Study;

namespace {

constexpr const char* engineer = "engineer";

/// Two steps may come to the same code, and some code never runs.
std::string code_of(const std::string& study, const std::string& step) {
  const std::uint64_t bits = lot(study + step);
  if (bits % 8 == 0) return fmt::format("an idea that many have, {}", bits / 8 % 2);
  return fmt::format("{} by {} of {}", bits % 4 == 1 ? broken_code : "code", step, study);
}

}  // namespace

/// As agents::Thinker does: one conversation for each open step, all at the same time.
kernel::RoleAnswer Conversations::search_code(const Study& study) {
  const std::vector<const kernel::CodeStep*> open = kernel::open_steps(study);
  kernel::RoleAnswer answer;
  for (const kernel::CodeStep& step : study.code.steps) {
    const kernel::LineOfWork* line = study.thinking.line(step.id);
    if (!line || line->ended || std::ranges::find(open, &step) != open.end()) continue;
    rest({study.id, engineer, step.id, {}});
    answer.commands.push_back(
        {study.id, kernel::kernel_actor, kernel::GiveUpCalls{step.id, {ReasonCode::search_ended_before_reply}}});
    answer.commands.push_back(
        {study.id, engineer,
         kernel::CloseLine{step.id, {ReasonCode::line_search_ended, {{"why", std::vector{study.code.over}}}}}});
  }
  if (!answer.commands.empty()) return answer;
  for (const kernel::CodeStep* step : open)
    work_on(study, {study.id, engineer, step->id, {kernel::LinePurpose::step, 0, step->id}});
  if (!open.empty() || study.search->pending > 0) return {{}, true};
  if (const kernel::CodeVersion* version = kernel::to_review(study)) return review(study, *version);
  return std::vector<kernel::Command>{{study.id, "experiment", kernel::AdvanceCode{}}};
}

/// An engineer says what the version must do, and another agent whether it does.
kernel::RoleAnswer Conversations::review(const Study& study, const kernel::CodeVersion& version) {
  const auto judge = [&](const std::string& requirement) {
    return kernel::Command{study.id, "reviewer",
                           kernel::JudgeRequirement{requirement, lot(study.id + version.id) % 4 != 0, "I read it.",
                                                    version.workspace.hash}};
  };
  std::vector<kernel::Command> commands;
  for (const kernel::StudyRequirement* one : kernel::unjudged(study, version.id)) commands.push_back(judge(one->id));
  if (!commands.empty()) return commands;
  kernel::StudyRequirement needed;
  needed.text = "The numbers are sorted.";
  needed.file = "sort.py";
  needed.from = needed.to = 1;
  needed.workspace = version.workspace.hash;
  commands.push_back({study.id, engineer, kernel::BindRequirement{needed}});
  commands.push_back(judge(kernel::next_requirement(study)));
  return commands;
}

/// The last words of a conversation; those of an engineer come after the code that was asked for.
void Conversations::end_line(const Study& study, const Line& line) {
  const auto close = [this, line] {
    send(line, kernel::CloseLine{line.id, kernel::as_said("I am done.")},
         [this, line](int, const kernel::CommandOutcome&) { rest(line); });
  };
  const bool written = std::ranges::any_of(study.code.versions, [&](const auto& v) { return v.step == line.id; });
  if (line.role != engineer || written || lot(line.id + study.id) % 8 == 0) return close();
  kernel::ProposeCode proposal;
  proposal.step = line.id;
  proposal.workspace = study.workspace;
  proposal.workspace.hash = freeze(code_of(study.id, line.id));
  proposal.diff = keep("diff of " + line.id);
  proposal.why = "It takes another way.";
  proposal.lines = static_cast<int>(lot(line.id) % 3) + 1;
  send(line, std::move(proposal), [close](int, const kernel::CommandOutcome&) { close(); });
}

}  // namespace sim

#include "agents/thinking/conversation/thinker.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "agents/builtin/builtin.h"
#include "agents/thinking/briefing/code_briefing.h"
#include "agents/thinking/conversation/conversation.h"
#include "base/digest.h"
#include "kernel/decide/preconditions.h"
#include "kernel/domain/enum_names.h"
#include "kernel/search/code_search.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"

namespace agents {

using kernel::LinePurpose;
using kernel::LineSubject;
using kernel::Role;
using kernel::RoleAnswer;
using kernel::Study;

namespace {

constexpr int most_rounds = 5;
const std::string engineer = "engineer";

/// A hash of the bindings: a requirement that is bound again is reviewed again, also on the same code.
std::string state_of(const std::vector<kernel::StudyRequirement>& all) {
  std::string bound;
  for (const kernel::StudyRequirement& one : all)
    bound += fmt::format("{}:{}:{}-{};", one.id, one.file, one.from, one.to);
  return kernel::sha256_hex(bound).substr(0, 8);
}

LineSubject on_code(LinePurpose purpose, const std::string& workspace) {
  LineSubject subject{purpose};
  subject.workspace = workspace;
  return subject;
}

LineSubject review_of(const std::string& workspace, const std::vector<kernel::StudyRequirement>& all) {
  LineSubject subject = on_code(LinePurpose::review, workspace);
  subject.bound = state_of(all);
  return subject;
}

}  // namespace

struct Thinker::Worker {
  Worker(const ThinkerParts& parts, const std::string& study, const std::string& role, const std::string& id,
         const kernel::LineSubject& subject)
      : conversation(parts, study, role, id, subject), thread([this] { conversation.run(); }) {}
  ~Worker() {
    conversation.stop();
    thread.join();
  }
  Conversation conversation;
  std::thread thread;
};

Thinker::Thinker(ThinkerParts parts) : parts_(std::move(parts)) {}
Thinker::~Thinker() = default;

RoleAnswer Thinker::turn(Role role, const Study& study) {
  // Steps that follow from the design need no model.
  const bool tests = study.spec.kind == kernel::StudyKind::test;
  if (role == Role::hypothesis && tests && (study.spec.hypotheses.empty() || study.batch.number > 1))
    return propose(study);
  if (role == Role::experiment && study.phase() == kernel::Phase::searching && study.spec.code && study.search)
    return search_code(study);
  std::optional<RoleAnswer> answer;
  // A search was planned for the code as it was; nothing amends that code later.
  if (role == Role::experiment && tests && study.phase() == kernel::Phase::registering) {
    answer = mend(study);
    if (!answer) answer = require(study);
  }
  if (role == Role::writeup && tests && study.claims.empty()) answer = write_up(study);
  return answer ? std::move(*answer) : builtin_turn(role, study);
}

/// An open conversation of one of the roles continues first. With `workspace`, conversations on other code are closed;
/// if it is null, conversations on any code may continue.
std::optional<RoleAnswer> Thinker::open_line(const Study& study, std::initializer_list<std::string_view> roles,
                                             const std::string* workspace) {
  for (const kernel::LineOfWork& line : study.thinking.lines) {
    if (line.ended || std::ranges::find(roles, line.role) == roles.end()) continue;
    if (workspace && line.subject.workspace != *workspace) {
      close(study.id, line.id);
      const kernel::CloseLine over{line.id, {kernel::ReasonCode::line_code_amended}};
      return std::vector<kernel::Command>{{study.id, line.role, over}};
    }
    work_on(study, line.role, line.id, line.subject);
    return RoleAnswer{{}, true};
  }
  return std::nullopt;
}

/// The role's conversation about the subject, unless it has ended, or `most` conversations had the same purpose.
std::optional<RoleAnswer> Thinker::line_about(const Study& study, const std::string& role, const LineSubject& subject,
                                              int most) {
  int rounds = 0, number = 1;
  const kernel::LineOfWork* own = nullptr;
  for (const kernel::LineOfWork& line : study.thinking.lines) {
    if (line.role != role) continue;
    ++number;
    rounds += line.subject.purpose == subject.purpose ? 1 : 0;
    if (line.subject == subject) own = &line;
  }
  if (own ? own->ended : rounds >= most) return std::nullopt;
  work_on(study, role, own ? own->id : fmt::format("{}-{}", role, number), subject);
  return RoleAnswer{{}, true};
}

/// Like `line_about`, but repeats the conversation up to three times, in case something was forgotten.
std::optional<RoleAnswer> Thinker::until_done(const Study& study, const std::string& role, LineSubject subject,
                                              int most) {
  constexpr int times = 3;
  std::optional<RoleAnswer> answer;
  for (; subject.again < times && !answer; ++subject.again) answer = line_about(study, role, subject, most);
  return answer;
}

/// One conversation for each version of the code that has serious findings. If it changes nothing, it is not repeated.
std::optional<RoleAnswer> Thinker::mend(const Study& study) {
  if (!kernel::refused_engineer(study).empty()) return std::nullopt;
  const std::vector<kernel::CheckFinding>& found = study.check->findings;
  if (std::ranges::none_of(found, &kernel::CheckFinding::serious)) return std::nullopt;
  return line_about(study, engineer, on_code(LinePurpose::mend, study.workspace.hash.text()), most_rounds);
}

/// Requirements are drawn up, judged by a reviewer, and if unmet, the code is mended. None if nothing is left to do.
std::optional<RoleAnswer> Thinker::require(const Study& study) {
  // Code that is refused in any case is not reviewed.
  if (!kernel::needs_requirements(study) || !kernel::refused_code(study).empty()) return std::nullopt;
  // An open conversation may have more requirements or judgements.
  const std::string& hash = study.workspace.hash.text();
  if (auto answer = open_line(study, {engineer, "reviewer"}, &hash)) return answer;
  const std::vector<kernel::StudyRequirement>& all = study.thinking.requirements;
  // Requirements that come with proposals do not replace those that an engineer draws up.
  LineSubject subject = on_code(LinePurpose::require, hash);
  subject.batch = study.batch.number;
  const bool drawn = std::ranges::any_of(study.thinking.lines, [&](const kernel::LineOfWork& line) {
    return line.role == engineer && line.subject.purpose == subject.purpose && line.subject.batch == subject.batch;
  });
  const auto drawn_elsewhere = [](const kernel::StudyRequirement& one) {
    return one.question || one.by == kernel::kernel_actor;
  };
  if (!drawn || std::ranges::all_of(all, drawn_elsewhere))
    if (auto answer = until_done(study, engineer, std::move(subject), 2 * most_rounds)) return answer;
  if (!kernel::unjudged(study, "").empty())
    if (auto answer = until_done(study, "reviewer", review_of(hash, all), 4 * most_rounds)) return answer;
  if (kernel::unmet(study, "").empty() || !kernel::refused_engineer(study).empty()) return std::nullopt;
  return line_about(study, engineer, on_code(LinePurpose::unmet, hash), most_rounds);
}

/// Before a version is confirmed, its requirements are drawn up, bound to its lines, and judged by a reviewer. The
/// version is not mended: if it lacks something, the next best takes its place.
std::optional<RoleAnswer> Thinker::review(const Study& study, const kernel::CodeVersion& version) {
  const std::string& hash = version.workspace.hash.text();
  const int most = 4 * study.spec.code->versions;
  const auto& all = study.thinking.requirements;
  LineSubject vetting = on_code(LinePurpose::vet, hash);
  vetting.version = version.id;
  if (std::ranges::none_of(all, [&](const kernel::StudyRequirement& one) { return one.version == version.id; }))
    return until_done(study, engineer, std::move(vetting), most);
  return until_done(study, "reviewer", review_of(hash, all), most);
}

/// After the verdicts: their analysis, which may open another batch, and then the text of the report.
std::optional<RoleAnswer> Thinker::write_up(const Study& study) {
  if (std::ranges::none_of(study.hypotheses, [](const kernel::HypothesisRecord& record) {
        return record.result && record.withdrawn.empty();
      }))
    return std::nullopt;
  if (auto answer = open_line(study, {"analysis", "writeup"})) return answer;
  if (auto answer = line_about(study, "analysis", {LinePurpose::analyse, study.batch.number}, most_rounds))
    return answer;
  return line_about(study, "writeup", {LinePurpose::write}, 1);
}

/// One conversation for each open step, all at the same time; conversations of steps that were closed meanwhile end.
/// Then the kernel plans the next round.
RoleAnswer Thinker::search_code(const Study& study) {
  const std::vector<const kernel::CodeStep*> open = kernel::open_steps(study);
  RoleAnswer answer;
  for (const kernel::CodeStep& step : study.code.steps) {
    const kernel::LineOfWork* line = study.thinking.line(step.id);
    if (line && line->ended) close(study.id, step.id);
    if (!line || line->ended || std::ranges::find(open, &step) != open.end()) continue;
    close(study.id, step.id);
    answer.commands.push_back(
        {study.id, "kernel", kernel::GiveUpCalls{step.id, {kernel::ReasonCode::search_ended_before_reply}}});
    answer.commands.push_back(
        {study.id, engineer,
         kernel::CloseLine{step.id, {kernel::ReasonCode::line_search_ended, {{"why", std::vector{study.code.over}}}}}});
  }
  if (!answer.commands.empty()) return answer;
  for (const kernel::CodeStep* step : open) work_on(study, engineer, step->id, {LinePurpose::step, 0, step->id});
  if (!open.empty()) return {{}, true};
  if (study.search->pending > 0) return {{}, true};
  // An open conversation may have more requirements or judgements.
  if (auto vetting = open_line(study, {engineer, "reviewer"})) return std::move(*vetting);
  if (const kernel::CodeVersion* version = kernel::to_review(study))
    if (auto review_line = review(study, *version)) return std::move(*review_line);
  return std::vector<kernel::Command>{{study.id, std::string(name(Role::experiment)), kernel::AdvanceCode{}}};
}

RoleAnswer Thinker::propose(const Study& study) {
  const std::string role(name(Role::hypothesis));
  const std::string id = fmt::format("{}-{}", role, study.batch.number);
  const kernel::LineOfWork* line = study.thinking.line(id);
  if (!line || !line->ended) {
    work_on(study, role, id, {LinePurpose::propose});
    return {{}, true};
  }
  close(study.id, id);
  // If there are no proposals, the kernel refuses, and a person sees the reason.
  const int family =
      study.family > 0 ? study.family : study.spec.design.family.value_or(static_cast<int>(study.hypotheses.size()));
  return std::vector<kernel::Command>{{study.id, role, kernel::CloseProposals{std::max(1, family)}}};
}

void Thinker::work_on(const Study& study, const std::string& role, const std::string& line,
                      const LineSubject& subject) {
  // A conversation that waits for a person or a run needs no thread.
  if (const kernel::LineOfWork* known = study.thinking.line(line); known && study.rests(*known)) return;
  std::unique_ptr<Worker>& worker = workers_[study.id + "/" + line];
  if (worker && worker->conversation.go_on()) return;
  worker.reset();
  worker = std::make_unique<Worker>(parts_, study.id, role, line, subject);
}

void Thinker::close(const std::string& study, const std::string& line) {
  const auto found = workers_.find(study + "/" + line);
  if (found == workers_.end()) return;
  if (found->second) found->second->conversation.stop(true);
  workers_.erase(found);
}

void Thinker::let_go(const std::string& study, bool for_good) {
  const std::string prefix = study + "/";
  for (const auto& [key, worker] : workers_)
    if (key.starts_with(prefix) && worker) worker->conversation.stop(for_good);
  std::erase_if(workers_, [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

}  // namespace agents

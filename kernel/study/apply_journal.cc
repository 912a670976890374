#include <stdexcept>
#include <utility>

#include "kernel/study/event_applier.h"
#include "kernel/study/ledger.h"
#include "kernel/study/model_use.h"
#include "kernel/study/requirements.h"

namespace kernel {

void EventApplier::operator()(const LineOpened& e) {
  study().thinking.lines.push_back({e.line, e.role, e.subject});
  study().thinking.lines.back().opened_ms = event.at.wall_ms;
}

void EventApplier::operator()(const LineEnded& e) {
  LineOfWork* line = find_by(study().thinking.lines, &LineOfWork::id, e.line);
  if (!line) return;
  line->ended = true;
  line->ending = e.ending;
  line->waits = {};
  line->ended_ms = event.at.wall_ms;
}

void EventApplier::operator()(const ModelAsked& e) {
  Study& s = study();
  Thinking& thinking = s.thinking;
  LineOfWork* line = find_by(thinking.lines, &LineOfWork::id, e.line);
  if (!line) throw std::logic_error("a call on the unknown line of work " + e.line);
  ++line->calls;
  line->last_call = e.call;
  ModelCall call;
  call.number = e.call;
  call.line = static_cast<int>(line - thinking.lines.data());
  call.model = e.model;
  call.request = e.request;
  call.tokens = e.tokens;
  call.usd = e.usd;
  call.shown = e.shown;
  call.as = e.as;
  call.account = account_for(s, line->role, line->id);
  ++thinking.under_way;
  thinking.tokens_aside += e.tokens;
  thinking.usd_aside += e.usd;
  thinking.calls.push_back(std::move(call));
}

void EventApplier::operator()(const ModelAnswered& e) {
  Study& s = study();
  ModelCall& call = s.thinking.calls.at(static_cast<std::size_t>(e.call) - 1);
  s.thinking.tokens_aside -= call.tokens;
  s.thinking.usd_aside = --s.thinking.under_way > 0 ? s.thinking.usd_aside - call.usd : 0;  // No rounding error.
  call.state = e.end.failure.empty() ? CallState::answered : CallState::failed;
  call.reply = e.end.reply;
  LineOfWork& line = s.thinking.lines.at(static_cast<std::size_t>(call.line));
  line.waits = e.end.again_in_s > 0 ? e.end.failure : Reason{};
  call.tokens = e.end.tokens.total();
  call.usd = e.end.usd;
  Account& account = s.accounts.at(static_cast<std::size_t>(call.account));
  ++account.calls;
  account.tokens += call.tokens;
  account.prompt_tokens += call.tokens - e.end.tokens.output;
  account.cached_tokens += e.end.tokens.cache_read;
  account.usd += call.usd;
  settle(model_use(s, line.role, call.model), call, e.end);
}

void EventApplier::operator()(const CallBatched& e) {
  ModelCall& call = study().thinking.calls.at(static_cast<std::size_t>(e.call) - 1);
  if (e.batch.empty())
    call.batch.reset();
  else
    call.batch = CallBatch{e.batch, e.service, event.at.wall_ms, e.until_ms};
}

void EventApplier::operator()(const ToolReturned& e) {
  study().thinking.calls.at(static_cast<std::size_t>(e.call) - 1).tools.push_back(e.answer);
}

void EventApplier::operator()(const NoteTaken& e) {
  study().thinking.notes.push_back(event.actor + ": " + e.text);
}

void EventApplier::operator()(const RequirementBound& e) {
  std::vector<StudyRequirement>& all = study().thinking.requirements;
  if (StudyRequirement* known = find_by(all, &StudyRequirement::id, e.requirement.id))
    *known = e.requirement;
  else
    all.push_back(e.requirement);
}

void EventApplier::operator()(const RequirementJudged& e) {
  StudyRequirement* one = find_by(study().thinking.requirements, &StudyRequirement::id, e.requirement);
  if (!one) return;
  one->judged = e.met ? Judgement::met : Judgement::unmet;
  one->why = e.why;
  one->judge = event.actor;
  // A person reviewed an agent's code after the end: the artifact can be written again, up to now.
  if (study().state == StudyState::ended) {
    study().sealed_head.clear();
    study().pictures.reset();
  }
  one->workspace = code_meant(study(), *one);
}

void EventApplier::operator()(const SectionWritten& e) {
  std::vector<Section>& all = study().thinking.sections;
  std::erase_if(all, [&](const Section& one) { return one.name == e.section.name; });
  all.push_back(e.section);
}

}  // namespace kernel

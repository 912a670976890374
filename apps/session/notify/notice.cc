#include "apps/session/notify/notice.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "kernel/domain/enum_names.h"
#include "kernel/study/ledger.h"
#include "kernel/wording/wording.h"

namespace session {

namespace {

using config::NotifyOn;
using kernel::Study;
using nlohmann::json;

json text_or_null(const std::string& text) {
  return text.empty() ? json() : json(text);
}

std::map<std::string, int> verdicts_of(const kernel::Hypotheses& study) {
  std::map<std::string, int> counts;
  for (const kernel::HypothesisRecord& record : study.hypotheses)
    if (record.result) ++counts[kernel::words_of(record.result->verdict)];
  return counts;
}

json runs_of(const kernel::RunBoard& board) {
  json counts = json::object();
  for (const kernel::RunState state : kernel::enumerators<kernel::RunState>())
    if (const int count = board.counted.in[static_cast<std::size_t>(state)]) counts[std::string(name(state))] = count;
  return counts;
}

/// ": concluded, 2 supported, 1 refuted"
std::string outcome_text(const Study& study) {
  std::string text = ": " + std::string(name(*study.outcome));
  for (const auto& [verdict, count] : verdicts_of(study)) text += fmt::format(", {} {}", count, verdict);
  return text;
}

Notice notice(NotifyOn on, const kernel::Event& event, const Study& study, const std::string& text) {
  const kernel::Account sum = kernel::spent(study);
  return {on,
          {{"event", config::name(on)},
           {"study", study.id},
           {"title", study.spec.title},
           {"state", name(study.state)},
           {"outcome", study.outcome ? json(name(*study.outcome)) : json()},
           {"reason", study.pause_reason ? json(name(*study.pause_reason)) : json()},
           {"detail", nullptr},
           {"gate", nullptr},
           {"verdicts", verdicts_of(study)},
           {"runs", runs_of(study)},
           {"tokens", sum.tokens},
           {"usd", sum.usd},
           {"artifact", text_or_null(study.artifact)},
           {"report", text_or_null(study.report)},
           {"time", kernel::iso8601(event.at.wall_ms)},
           {"text", fmt::format("Study {} ({}) {}", study.id, study.spec.title, text)}}};
}

/// Whether the call is the first after which its line waits for its model's provider, with no other line waiting.
bool begins_waiting(const kernel::Thinking& thinking, int call) {
  const int line = thinking.calls.at(static_cast<std::size_t>(call) - 1).line;
  for (std::size_t i = 0; i < thinking.lines.size(); ++i)
    if (static_cast<int>(i) != line && !thinking.lines[i].waits.empty()) return false;
  for (int before = call - 1; before >= 1; --before)
    if (const kernel::ModelCall& other = thinking.calls[static_cast<std::size_t>(before) - 1]; other.line == line)
      return other.state != kernel::CallState::failed;
  return true;
}

std::string after_colon(const std::string& text) {
  return text.empty() ? "" : ": " + text;
}

}  // namespace

std::optional<Notice> notice_about(const kernel::Event& event, const Study& study) {
  if (std::holds_alternative<kernel::StudyEnded>(event.body)) {
    const bool failed = study.outcome == kernel::StudyOutcome::failed;
    const std::string detail = kernel::newest_words(study.outcome_detail);
    Notice told = notice(failed ? NotifyOn::failed : NotifyOn::ended, event, study,
                         failed ? "failed" + after_colon(detail) : "ended" + outcome_text(study));
    told.facts["detail"] = text_or_null(detail);
    return told;
  }
  if (const auto* paused = std::get_if<kernel::StudyPaused>(&event.body)) {
    // A gate is told when it opens, and a fork is paused from its start.
    if (paused->reason == kernel::PauseReason::gate || paused->reason == kernel::PauseReason::fork) return std::nullopt;
    const std::string detail = kernel::newest_words(paused->detail);
    Notice told =
        notice(NotifyOn::paused, event, study, "is paused: " + std::string(name(paused->reason)) + after_colon(detail));
    told.facts["detail"] = text_or_null(detail);
    return told;
  }
  if (const auto* opened = std::get_if<kernel::GateOpened>(&event.body)) {
    const std::string what = kernel::newest_words(opened->gate.what);
    Notice told = notice(NotifyOn::waits, event, study,
                         fmt::format("waits for you at gate {}{}", opened->gate.id, after_colon(what)));
    told.facts["detail"] = text_or_null(what);
    told.facts["gate"] = opened->gate.id;
    return told;
  }
  if (const auto* answered = std::get_if<kernel::ModelAnswered>(&event.body)) {
    if (answered->end.again_in_s <= 0 || !begins_waiting(study.thinking, answered->call)) return std::nullopt;
    const std::string why = kernel::newest_words(answered->end.failure);
    Notice told = notice(NotifyOn::waits, event, study, "waits for a model's provider" + after_colon(why));
    told.facts["detail"] = text_or_null(why);
    return told;
  }
  return std::nullopt;
}

Notice notice_of_jobs(const std::string& why, std::int64_t wall_ms) {
  json facts = {{"event", config::name(NotifyOn::waits)},
                {"detail", why},
                {"time", kernel::iso8601(wall_ms)},
                {"text", "Jobs wait: " + why}};
  for (const char* of_study : {"study", "title", "state", "outcome", "reason", "gate", "verdicts", "runs", "tokens",
                               "usd", "artifact", "report"})
    facts[of_study] = nullptr;
  return {NotifyOn::waits, std::move(facts)};
}

}  // namespace session

#include "histories/confirm/words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernel/domain/enum_names.h"
#include "kernel/wording/wording.h"

namespace histories {

namespace {

using nlohmann::json;

/// "3 of 12 runs of v2 failed, 9 were not started: …", with the first reason.
std::string failures_of(const kernel::Study& study, const std::string& arm) {
  std::string reason;
  int failed = 0, idle = 0, all = 0;
  for (const kernel::Run& run : study.runs) {
    if (run.purpose != kernel::Purpose::registered || run.superseded) continue;
    const kernel::Cell& cell = study.cells[static_cast<std::size_t>(run.cell)];
    if (const auto level = cell.find("version"); level == cell.end() || level->second != arm) continue;
    ++all;
    idle += run.state == kernel::RunState::cancelled && run.started_ms == 0 ? 1 : 0;
    if (!run.evidence() || run.state == kernel::RunState::succeeded) continue;
    ++failed;
    if (reason.empty()) reason = kernel::sentence(run.reason, study.wording);
  }
  return fmt::format("{} of {} runs of {} failed{}{}{}", failed, all, arm,
                     idle > 0 ? fmt::format(", {} were not started", idle) : "", reason.empty() ? "" : ": ", reason);
}

Word word_of(kernel::Verdict verdict) {
  switch (verdict) {
    case kernel::Verdict::supported:
      return Word::holds;
    case kernel::Verdict::refuted:
    case kernel::Verdict::no_relevant_effect:
      return Word::no_gain_of_that_size;
    case kernel::Verdict::inconclusive:
      return Word::not_shown;
  }
  return Word::not_shown;
}

std::optional<Told> tell_one(const Confirmation& confirmation, const kernel::Study& study,
                             const Improvement& improvement, const std::string& hypothesis, const std::string& control,
                             double recorded) {
  Told told;
  told.hypothesis = hypothesis;
  told.control = control;
  told.recorded = recorded;
  const kernel::HypothesisRecord* record = study.hypothesis(kernel::HypothesisId(hypothesis));
  if (!record || !record->result) {
    if (study.outcome != kernel::StudyOutcome::failed) return std::nullopt;
    told.word = Word::cannot_be_run;
    told.why = kernel::sentence(study.outcome_detail, study.wording);
    return told;
  }
  const kernel::HypothesisResult& result = *record->result;
  const std::array<int, 2> measured = result.runs();
  told.n = measured;
  told.failed = result.failed;
  told.level = result.level;
  told.p_corrected = result.p_corrected;
  told.power = result.reading && result.reading->planned_power ? result.reading->planned_power : result.power;
  told.word = word_of(result.verdict);
  told.why = kernel::sentence(result.reason, study.wording);
  // A version of which most runs failed cannot be run, also if the others gave a result.
  for (const std::size_t side : {0, 1}) {
    if (result.failed[side] <= measured[side]) continue;
    told.word = Word::cannot_be_run;
    told.why = failures_of(study, side == 0 ? improvement.version.arm : control);
    return told;
  }
  const bool less = confirmation.history.goal == kernel::Goal::minimize;
  const auto turned = [&](const std::optional<double>& value) {
    return value && less ? std::optional(-*value) : value;
  };
  told.gain = turned(result.effect);
  told.low = turned(less ? result.high : result.low);
  told.high = turned(less ? result.low : result.high);
  told.short_of_power = told.word == Word::not_shown && told.power && *told.power < study.spec.design.power;
  told.smaller = told.word == Word::holds && told.high && *told.high < recorded;
  return told;
}

json or_null(const std::optional<double>& value) {
  return value ? json(*value) : json();
}

json one_json(const std::optional<Told>& told) {
  if (!told) return nullptr;
  return {{"word", name_of(told->word)},
          {"hypothesis", told->hypothesis.empty() ? json() : json(told->hypothesis)},
          {"control", told->control},
          {"recorded_gain", told->recorded},
          {"gain", or_null(told->gain)},
          {"interval", told->low || told->high ? json{or_null(told->low), or_null(told->high)} : json()},
          {"level", told->level > 0 ? json(told->level) : json()},
          {"p_corrected", or_null(told->p_corrected)},
          {"power", or_null(told->power)},
          {"n", told->n},
          {"failed", told->failed},
          {"smaller_than_recorded", told->smaller},
          {"short_of_power", told->short_of_power},
          {"reason", told->why}};
}

/// How often each word was said.
json counts_of(const std::vector<ToldImprovement>& all, std::optional<Told> ToldImprovement::*which) {
  json counts;
  for (const Word word : {Word::holds, Word::not_shown, Word::no_gain_of_that_size, Word::cannot_be_run}) {
    int count = 0;
    for (const ToldImprovement& one : all) count += one.*which && (one.*which)->word == word ? 1 : 0;
    counts[std::string(name_of(word))] = count;
  }
  return counts;
}

}  // namespace

std::string_view name_of(Word word) {
  switch (word) {
    case Word::holds:
      return "holds";
    case Word::not_shown:
      return "not shown";
    case Word::no_gain_of_that_size:
      return "no gain of that size";
    case Word::cannot_be_run:
      return "cannot be run";
  }
  return "";
}

std::vector<ToldImprovement> tell(const Confirmation& confirmation, const kernel::Study& study) {
  std::vector<ToldImprovement> all;
  for (const Improvement& improvement : confirmation.claims.improvements) {
    ToldImprovement& one = all.emplace_back();
    one.improvement = &improvement;
    const std::string& baseline = confirmation.claims.baseline.arm;
    if (!improvement.cannot.empty()) {
      Told& told = one.baseline.emplace();
      told.word = Word::cannot_be_run;
      told.control = baseline;
      told.recorded = improvement.gain;
      told.why = improvement.cannot;
      continue;
    }
    if (const auto id = against_baseline(confirmation, improvement))
      one.baseline = tell_one(confirmation, study, improvement, *id, baseline, improvement.gain);
    if (const auto id = against_before(confirmation, improvement))
      one.before = tell_one(confirmation, study, improvement, *id, improvement.before, *improvement.step);
  }
  return all;
}

json told_json(const Confirmation& confirmation, const kernel::Study& study, const std::vector<ToldImprovement>& all) {
  const RecordedClaims& claims = confirmation.claims;
  json improvements = json::array();
  for (const ToldImprovement& one : all) {
    const HistoryEntry& entry = one.improvement->version.entry;
    improvements.push_back({{"version", one.improvement->version.arm},
                            {"id", entry.id},
                            {"description", entry.description},
                            {"recorded", or_null(entry.value)},
                            {"against_baseline", one_json(one.baseline)},
                            {"against_before", one_json(one.before)}});
  }
  return {{"history",
           {{"source", name_of(confirmation.history.source)},
            {"path", confirmation.history.path},
            {"metric", confirmation.history.metric},
            {"goal", kernel::name(confirmation.history.goal.value_or(kernel::Goal::minimize))},
            {"entries", confirmation.history.entries.size()},
            {"accepted", claims.accepted},
            {"improvements", claims.improvements.size() + claims.cut},
            {"left_out", claims.cut}}},
          {"study", study.id},
          {"state", kernel::name(study.state)},
          {"outcome", study.outcome ? json(kernel::name(*study.outcome)) : json()},
          {"artifact", study.artifact.empty() ? json() : json(study.artifact)},
          {"report", study.report.empty() ? json() : json(study.report)},
          {"baseline",
           {{"version", claims.baseline.arm},
            {"id", claims.baseline.entry.id},
            {"description", claims.baseline.entry.description},
            {"recorded", or_null(claims.baseline.entry.value)}}},
          {"improvements", std::move(improvements)},
          {"summary",
           {{"against_baseline", counts_of(all, &ToldImprovement::baseline)},
            {"against_before", counts_of(all, &ToldImprovement::before)}}}};
}

}  // namespace histories

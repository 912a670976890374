#include "histories/confirm/claims.h"

#include <algorithm>

#include <fmt/format.h>

#include "studyfile/yaml/scalars.h"

namespace histories {

namespace {

constexpr std::size_t most_improvements = 200;

double gain_over(const HistoryEntry& entry, const HistoryEntry& other, kernel::Goal goal) {
  const double difference = *entry.value - *other.value;
  return goal == kernel::Goal::minimize ? -difference : difference;
}

const HistoryEntry* entry_of(const History& history, const std::string& id) {
  // A commit may stand in several rows; the kept one is meant.
  const HistoryEntry* found = nullptr;
  for (const HistoryEntry& entry : history.entries)
    if (entry.id == id && (!found || (entry.status == Status::kept && found->status != Status::kept))) found = &entry;
  return found;
}

kernel::Problem no_entry(const History& history, const char* option, const std::string& id) {
  std::vector<std::string> ids;
  for (const HistoryEntry& entry : history.entries)
    if (entry.value && ids.size() < 20) ids.push_back(entry.id);
  return {history.path, 0, option, "the history has no entry `" + studyfile::shown(id) + "`",
          studyfile::suggestion(id, ids, "there are")};
}

bool may_be_baseline(const History& history, const HistoryEntry& entry) {
  return entry.value && (!history.decided || entry.status == Status::kept);
}

}  // namespace

kernel::Result<RecordedClaims> claims_of(const History& history, const ClaimChoice& choice) {
  const kernel::Goal goal = history.goal.value_or(kernel::Goal::minimize);
  const HistoryEntry* baseline = nullptr;
  if (!choice.baseline.empty()) {
    baseline = entry_of(history, choice.baseline);
    if (!baseline) return no_entry(history, "--baseline", choice.baseline);
    if (!baseline->value)
      return kernel::Problem{history.path, baseline->line, "--baseline", "`" + choice.baseline + "` has no value",
                             "name one that was measured"};
  }
  for (const std::string& id : choice.skipped)
    if (!entry_of(history, id)) return no_entry(history, "--skip", id);
  for (const HistoryEntry& entry : history.entries)
    if (!baseline && may_be_baseline(history, entry)) baseline = &entry;
  if (!baseline)
    return kernel::Problem{history.path, 0, "",
                           history.decided ? "it kept nothing, so there is no baseline" : "nothing in it has a value",
                           ""};

  RecordedClaims claims;
  claims.baseline = {"v0", *baseline};
  // What was accepted, with its gain over what was accepted before.
  std::vector<std::pair<const HistoryEntry*, double>> accepted;
  const HistoryEntry* best = baseline;
  bool begun = !history.decided;
  for (const HistoryEntry& entry : history.entries) {
    if (&entry == baseline) begun = true;
    if (!begun || &entry == baseline || !entry.value) continue;
    if (history.decided ? entry.status != Status::kept : gain_over(entry, *best, goal) <= 0) continue;
    ++claims.accepted;
    if (gain_over(entry, *baseline, goal) > 0) accepted.emplace_back(&entry, gain_over(entry, *best, goal));
    best = &entry;
  }
  if (accepted.empty())
    return kernel::Problem{
        history.path, 0, "",
        claims.accepted == 0
            ? "it accepted nothing after the baseline " + baseline->id + ": there is nothing to confirm"
            : "nothing that it accepted has a better " + history.metric + " than the baseline " + baseline->id,
        "say --goal if the other way is better, or --baseline if another entry is the baseline"};
  const std::size_t most = std::min(choice.top.value_or(most_improvements), most_improvements);
  if (accepted.size() > most) {
    std::vector<double> steps;
    for (const auto& [entry, step] : accepted) steps.push_back(step);
    std::ranges::sort(steps, std::greater());
    std::size_t equal = most - static_cast<std::size_t>(
                                   std::ranges::count_if(steps, [&](double step) { return step > steps[most - 1]; }));
    claims.cut = accepted.size() - most;
    std::erase_if(accepted, [&](const auto& one) {
      if (one.second == steps[most - 1] && equal > 0) {
        --equal;
        return false;
      }
      return one.second <= steps[most - 1];
    });
  }
  for (const auto& [entry, step] : accepted) {
    Improvement improvement;
    improvement.version = {fmt::format("v{}", claims.improvements.size() + 1), *entry};
    improvement.gain = gain_over(*entry, *baseline, goal);
    if (choice.skipped.contains(entry->id)) improvement.cannot = "left out by --skip";
    claims.improvements.push_back(std::move(improvement));
  }
  settle_steps(claims, goal);
  return claims;
}

void settle_steps(RecordedClaims& claims, kernel::Goal goal) {
  const Version* before = &claims.baseline;
  for (Improvement& improvement : claims.improvements) {
    improvement.before = before->arm;
    improvement.step.reset();
    if (!improvement.cannot.empty()) continue;
    const double step = gain_over(improvement.version.entry, before->entry, goal);
    if (before != &claims.baseline && step > 0) improvement.step = step;
    before = &improvement.version;
  }
}

}  // namespace histories

#include "kernel/search/freeze_thaw.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kernel/study/continuation.h"

namespace kernel {

namespace {

/// The settings that wait at the level of this rung: their last run is there, and a run at the next level can continue
/// it. Without the fidelity factor and the baseline; in the order of their runs.
std::vector<Cell> frozen_at(const Study& study, const std::vector<CellOutcome>& outcomes, const Rung& rung) {
  const SearchPlan& plan = study.search->plan;
  std::vector<Cell> frozen;
  for (const CellOutcome& outcome : outcomes) {
    if (outcome.cell.at(plan.fidelity) != rung.fidelity || !run_to_continue(study, outcome.cell, 1)) continue;
    Cell setting = outcome.cell;
    setting.erase(plan.fidelity);
    if (setting != plan.baseline && std::ranges::find(frozen, setting) == frozen.end())
      frozen.push_back(std::move(setting));
  }
  return frozen;
}

/// Whether these settings may go on: they wait, they are distinct, and they are as many as there are places or frozen
/// settings.
bool may_thaw(const std::vector<Cell>& frozen, std::size_t places, const std::vector<Cell>& chosen) {
  return chosen.size() == std::min(places, frozen.size()) &&
         std::set<Cell>(chosen.begin(), chosen.end()).size() == chosen.size() &&
         std::ranges::all_of(chosen, [&](const Cell& c) { return std::ranges::find(frozen, c) != frozen.end(); });
}

}  // namespace

void thaw(const Study& study, const std::vector<CellOutcome>& outcomes, std::size_t next, std::vector<Cell> recorded,
          RungRanked& ranked) {
  const SearchPlan& plan = study.search->plan;
  const std::vector<Cell> frozen = frozen_at(study, outcomes, plan.rungs[next - 1]);
  const auto places = static_cast<std::size_t>(plan.rungs[next].candidates);
  std::vector<Cell> chosen = std::move(recorded);
  if (!may_thaw(frozen, places, chosen))
    chosen = ResponseModel(study.spec, *study.spec.metric(plan.metric), outcomes).most_promising(frozen, places);
  const std::set<Cell> own(chosen.begin(), chosen.end());
  for (Candidate& c : ranked.candidates) {
    c.kept = own.contains(c.cell);
    if (c.kept) std::erase(chosen, c.cell);
  }
  ranked.thawed = std::move(chosen);
}

void continue_runs(const Study& study, const std::string& level_before, RunsQueued& queued) {
  const std::string& fidelity = study.search->plan.fidelity;
  for (PlannedRun& run : queued.runs) {
    Cell before = queued.cells[static_cast<std::size_t>(run.cell)];
    before[fidelity] = level_before;
    if (const Run* earlier = run_to_continue(study, before, run.replicate)) {
      run.seed = earlier->seed;
      run.continues = earlier->number;
    }
  }
}

}  // namespace kernel

#include "kernel/study/dependants.h"

#include <algorithm>

#include "kernel/domain/cells.h"

namespace kernel {

bool needs_met(const RunBoard& study, const Run& run) {
  return std::ranges::all_of(run.needs,
                             [&](int need) { return study.latest(*study.run(need)).state == RunState::succeeded; });
}

bool concerns(const RunBoard& study, const Arm& arm, const Run& run) {
  if (run.stage.empty()) return std::ranges::find(arm.cells, run.cell) != arm.cells.end();
  const Cell& part = study.cells[static_cast<std::size_t>(run.cell)];
  return std::ranges::any_of(arm.cells,
                             [&](int cell) { return matches(study.cells[static_cast<std::size_t>(cell)], part); });
}

std::vector<RunEnded> ends_of_dependants(const Study& study, const Run& run, RunState state, const Reason& reason) {
  std::vector<RunEnded> ends;
  if (state == RunState::succeeded) return ends;
  for (const int number : study.dependants(run.number)) {
    const Run& waiting = *study.run(number);
    if (waiting.ended()) continue;
    RunEnded ended;
    ended.run = number;
    ended.state = state == RunState::cancelled || state == RunState::lost ? state : RunState::failed;
    ended.outcome.end = state == RunState::cancelled ? JobEnd::cancelled : JobEnd::failed_to_start;
    ended.reason = {state == RunState::cancelled ? ReasonCode::stage_cancelled
                    : state == RunState::lost    ? ReasonCode::stage_lost
                                                 : ReasonCode::stage_failed,
                    {{"stage", run.stage}, {"run", study.run_id(run.number)}, {"reason", std::vector{reason}}}};
    if (find_by(ends, &RunEnded::run, number)) continue;
    std::vector<RunEnded> further = ends_of_dependants(study, waiting, ended.state, ended.reason);
    ends.push_back(std::move(ended));
    for (RunEnded& end : further)
      if (!find_by(ends, &RunEnded::run, end.run)) ends.push_back(std::move(end));
  }
  return ends;
}

}  // namespace kernel

#include "kernel/stages.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "kernel/design.h"

namespace kernel {

namespace {

void add_factors(const StudySpec& spec, const StageSpec& stage, std::set<std::string>& factors) {
  factors.insert(stage.factors.begin(), stage.factors.end());
  for (const std::string& need : stage.needs) add_factors(spec, *spec.stage(need), factors);
}

/// Puts runs of stages where they are first needed.
class Staging {
 public:
  Staging(const StudySpec& spec, RunsQueued& queued) : spec_(spec), queued_(queued) {
    for (std::size_t i = 0; i < queued.cells.size(); ++i) cells_.try_emplace(queued.cells[i], static_cast<int>(i));
  }

  std::vector<PlannedRun> staged(const std::vector<PlannedRun>& measuring) {
    if (!measuring.empty()) next_ = measuring.front().number;
    for (PlannedRun run : measuring) {
      const Cell cell = queued_.cells[static_cast<std::size_t>(run.cell)];
      run.needs = needs_of(spec_.stages.back(), cell, run);
      run.number = next_++;
      runs_.push_back(std::move(run));
    }
    return std::move(runs_);
  }

 private:
  std::vector<int> needs_of(const StageSpec& stage, const Cell& cell, const PlannedRun& of) {
    std::vector<int> numbers;
    for (const std::string& need : stage.needs) numbers.push_back(place(*spec_.stage(need), cell, of));
    return numbers;
  }

  int place(const StageSpec& stage, const Cell& full, const PlannedRun& of) {
    Cell cell = stage_cell(spec_, stage, full);
    const auto key = std::make_tuple(stage.name, cell, of.seed);
    if (const auto known = placed_.find(key); known != placed_.end()) return known->second;
    PlannedRun run;
    run.needs = needs_of(stage, full, of);
    run.number = next_++;
    run.stage = stage.name;
    run.seed = of.seed;
    run.replicate = of.replicate;
    run.cell = index_of(std::move(cell));
    placed_[key] = run.number;
    runs_.push_back(run);
    return run.number;
  }

  int index_of(Cell cell) {
    const auto [it, fresh] = cells_.try_emplace(std::move(cell), static_cast<int>(queued_.cells.size()));
    if (fresh) queued_.cells.push_back(it->first);
    return it->second;
  }

  const StudySpec& spec_;
  RunsQueued& queued_;
  std::map<Cell, int> cells_;
  std::map<std::tuple<std::string, Cell, std::uint64_t>, int> placed_;
  std::vector<PlannedRun> runs_;
  int next_ = 1;
};

}  // namespace

Cell stage_cell(const StudySpec& spec, const StageSpec& stage, const Cell& cell) {
  std::set<std::string> factors;
  add_factors(spec, stage, factors);
  Cell part;
  for (const auto& [factor, level] : cell)
    if (factors.contains(factor)) part[factor] = level;
  return part;
}

RunsQueued with_stages(const StudySpec& spec, RunsQueued queued) {
  if (!spec.stages.empty()) queued.runs = Staging(spec, queued).staged(queued.runs);
  return queued;
}

bool needs_met(const Study& study, const Run& run) {
  return std::all_of(run.needs.begin(), run.needs.end(),
                     [&](int need) { return study.latest(*study.run(need)).state == RunState::succeeded; });
}

bool concerns(const Study& study, const Arm& arm, const Run& run) {
  if (run.stage.empty()) return std::find(arm.cells.begin(), arm.cells.end(), run.cell) != arm.cells.end();
  const Cell& part = study.cells[static_cast<std::size_t>(run.cell)];
  return std::any_of(arm.cells.begin(), arm.cells.end(),
                     [&](int cell) { return matches(study.cells[static_cast<std::size_t>(cell)], part); });
}

std::vector<RunEnded> ends_of_dependants(const Study& study, const Run& run, RunState state,
                                         const std::string& reason) {
  std::vector<RunEnded> ends;
  if (state == RunState::succeeded) return ends;
  for (const int number : study.dependants(run.number)) {
    const Run& waiting = *study.run(number);
    if (waiting.ended()) continue;
    RunEnded ended;
    ended.run = number;
    ended.state = state == RunState::cancelled || state == RunState::lost ? state : RunState::failed;
    ended.outcome.end = state == RunState::cancelled ? JobEnd::cancelled : JobEnd::failed_to_start;
    ended.reason = fmt::format("its stage {} ({}) {}: {}", run.stage, study.run_id(run.number),
                               state == RunState::cancelled ? "was cancelled"
                               : state == RunState::lost    ? "was lost"
                                                            : "failed",
                               reason);
    const auto known = [&](const RunEnded& end) { return end.run == number; };
    if (std::any_of(ends.begin(), ends.end(), known)) continue;
    std::vector<RunEnded> further = ends_of_dependants(study, waiting, ended.state, ended.reason);
    ends.push_back(std::move(ended));
    for (RunEnded& end : further)
      if (std::none_of(ends.begin(), ends.end(), [&](const RunEnded& e) { return e.run == end.run; }))
        ends.push_back(std::move(end));
  }
  return ends;
}

}  // namespace kernel

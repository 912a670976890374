#include <algorithm>
#include <tuple>

#include "base/assert.h"
#include "kernel/design/design.h"
#include "kernel/domain/cells.h"

namespace kernel {

namespace {

/// Places each run of an earlier stage before the first run that needs it.
class Staging {
 public:
  Staging(const StudySpec& spec, RunsQueued& queued) : spec_(spec), queued_(queued) {
    for (std::size_t i = 0; i < queued.cells.size(); ++i) cells_.try_emplace(queued.cells[i], static_cast<int>(i));
  }

  std::vector<PlannedRun> staged(const std::vector<PlannedRun>& measuring) {
    if (!measuring.empty()) next_ = measuring.front().number;
    for (PlannedRun run : measuring) {
      ETUDE_ASSERT(run.stage.empty() && run.needs.empty());
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

RunsQueued with_stages(const StudySpec& spec, RunsQueued queued) {
  if (!spec.stages.empty()) queued.runs = Staging(spec, queued).staged(queued.runs);
  return queued;
}

}  // namespace kernel

#include <algorithm>

#include <fmt/format.h>

#include "kernel/design/design.h"
#include "kernel/verdicts/repeated_smoke.h"

namespace kernel {

const Run* smoke_to_repeat(const Study& study, const Registration& registration) {
  std::vector<const Run*> runs = repeatable_smoke_runs(study);
  const auto registered = [&](const Run* run) {
    const Cell& cell = study.cells[static_cast<std::size_t>(run->cell)];
    return std::ranges::find(registration.cells, cell) != registration.cells.end();
  };
  if (std::ranges::any_of(runs, registered)) std::erase_if(runs, [&](const Run* run) { return !registered(run); });
  if (runs.empty()) return nullptr;
  SplitMix random{order_from(registration.draw, "repeated smoke run")};
  return runs[random.below(runs.size())];
}

RunsQueued with_repeats(const Study& study, const Registration& registration, RunsQueued queued) {
  const Run* smoke = smoke_to_repeat(study, registration);
  // Between fewer runs, the repeats would be next to each other.
  if (!smoke || queued.runs.size() < smoke_repeats) return queued;
  const Cell& cell = study.cells[static_cast<std::size_t>(smoke->cell)];
  const auto known = std::ranges::find(queued.cells, cell);
  PlannedRun repeat;
  repeat.cell = static_cast<int>(known - queued.cells.begin());
  if (known == queued.cells.end()) queued.cells.push_back(cell);
  repeat.seed = smoke->seed;
  repeat.replicate = smoke->replicate;
  repeat.label = fmt::format("r{}", smoke->number);
  repeat.repeats = smoke->number;
  // Each is placed after another run of the experiment.
  SplitMix random{order_from(registration.draw, "repeats")};
  std::size_t first = 1 + random.below(queued.runs.size()), second = 1 + random.below(queued.runs.size() - 1);
  second += second >= first ? 1 : 0;
  for (const std::size_t after : {std::max(first, second), std::min(first, second)})
    queued.runs.insert(queued.runs.begin() + static_cast<std::ptrdiff_t>(after), repeat);
  int number = static_cast<int>(study.runs.size());
  for (PlannedRun& run : queued.runs) run.number = ++number;
  return queued;
}

}  // namespace kernel

#include "kernel/verdicts/asked_retries.h"

#include <set>

#include <fmt/format.h>

#include "kernel/domain/cells.h"
#include "kernel/inference/estimate.h"
#include "kernel/runs/run_outcome.h"

namespace kernel {

std::string repeats_warning(const Study& study, const Experiment& experiment, const Hypothesis& h) {
  std::set<Cell> cells;
  for (Cell& cell : cells_of(study.spec, h)) cells.insert(std::move(cell));
  int treatment = 0, control = 0, stages = 0;
  for (const Run& run : study.runs) {
    if (run.experiment != experiment.registration.experiment || run.purpose != Purpose::registered || !run.superseded)
      continue;
    if (run.outcome.end != JobEnd::exited || run.outcome.exit != retry_exit) continue;
    const Cell& cell = study.cells[static_cast<std::size_t>(run.cell)];
    if (!run.stage.empty())
      ++stages;  // Whatever arms it works for.
    else if (cells.contains(cell))
      ++(h.has_arms() && matches(cell, h.control) ? control : treatment);
  }
  const int all = treatment + control + stages;
  if (all == 0) return "";
  std::string arms = h.has_arms() ? fmt::format("; treatment {}, control {}", treatment, control) : "";
  if (stages > 0) arms += fmt::format("{} of earlier stages {}", arms.empty() ? ";" : ",", stages);
  return fmt::format(
      "{} asked to be run again (exit {}{}): what a run had measured by then was thrown away at its own wish",
      all == 1 ? "1 run" : fmt::format("{} runs", all), retry_exit, arms);
}

}  // namespace kernel

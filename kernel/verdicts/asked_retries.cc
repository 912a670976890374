#include "kernel/verdicts/asked_retries.h"

#include <set>

#include "kernel/domain/cells.h"
#include "kernel/inference/estimate.h"
#include "kernel/runs/run_outcome.h"

namespace kernel {

Reason repeats_warning(const Study& study, const Experiment& experiment, const Hypothesis& h) {
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
  if (all == 0) return {};
  Reason asked{ReasonCode::asked_again, {{"runs", all}, {"exit", retry_exit}}};
  if (h.has_arms())
    asked.values["arms"] =
        std::vector{Reason{ReasonCode::asked_again_by_arm, {{"treatment", treatment}, {"control", control}}}};
  if (stages > 0)
    asked.values["stages"] =
        std::vector{Reason{h.has_arms() ? ReasonCode::asked_again_also_of_stages : ReasonCode::asked_again_of_stages,
                           {{"stages", stages}}}};
  return asked;
}

}  // namespace kernel

#include <algorithm>
#include <set>

#include "kernel/design/design.h"
#include "kernel/evidence/derived_metrics.h"
#include "kernel/sizing/interim_looks.h"

namespace kernel {

namespace {

/// The number of replicates per cell in the first `parts` parts of the experiment. Each look ends one part.
std::vector<int> replicates_in(const StudySpec& spec, const Hypotheses& study, const Experiment& experiment,
                               std::size_t parts) {
  const Registration& r = experiment.registration;
  std::vector<double> shares = looks_of(r);
  shares.push_back(1);
  std::vector<int> due(r.cells.size(), 0);
  for (std::size_t part = 0; part < std::min({parts, shares.size(), experiment.going_on.size() + 1}); ++part) {
    std::set<Cell> wanted;
    for (const Hypothesis& h : r.hypotheses) {
      if (part > 0) {
        const std::vector<HypothesisId>& open = experiment.going_on[part - 1];
        if (std::ranges::find(open, h.id) == open.end()) continue;
        if (const HypothesisRecord* record = study.hypothesis(h.id); record && !record->withdrawn.empty()) continue;
      }
      for (Cell& cell : cells_to_run(spec, h)) wanted.insert(std::move(cell));
    }
    // The planted effect must show in the first part, so later parts need no runs of it.
    if (part == 0 && r.planted)
      for (Cell& cell : cells_to_run(spec, *r.planted)) wanted.insert(std::move(cell));
    for (std::size_t c = 0; c < r.cells.size(); ++c)
      if (c < r.replicates.size() && wanted.contains(r.cells[c])) due[c] = replicates_by(r.replicates[c], shares[part]);
  }
  return due;
}

}  // namespace

std::vector<int> needless_runs(const Study& study, const HypothesisRecord& record) {
  std::set<Cell> wanted;
  std::vector<int> numbers;
  const auto batch = study.open_batch();
  if (record.experiment.empty() && batch.size() == 1 && batch.front() == &record) {
    // The pilot has no other hypothesis to size.
    numbers.assign(study.queue.begin(), study.queue.end());
    numbers.insert(numbers.end(), study.blocked.begin(), study.blocked.end());
    return numbers;
  }
  for (const Experiment& e : study.experiments) {
    if (e.registration.experiment != record.experiment) continue;
    for (const Hypothesis& h : e.registration.hypotheses)
      if (h.id != record.hypothesis.id && !study.hypothesis(h.id)->result)
        for (Cell& cell : cells_to_run(study.spec, h)) wanted.insert(std::move(cell));
    if (e.registration.planted)
      for (Cell& cell : cells_to_run(study.spec, *e.registration.planted)) wanted.insert(std::move(cell));
  }
  for (const Run& run : study.runs)
    if (run.state == RunState::queued && run.purpose == Purpose::registered && run.stage.empty() &&
        run.experiment == record.experiment && !wanted.contains(study.cells[static_cast<std::size_t>(run.cell)]))
      numbers.push_back(run.number);
  return numbers;
}

std::vector<int> due_replicates(const Study& study, const Experiment& experiment) {
  return replicates_in(study.spec, study, experiment, static_cast<std::size_t>(experiment.planned));
}

RunsQueued due_runs(const Study& study, const Experiment& experiment) {
  const Registration& r = experiment.registration;
  const std::size_t part = experiment.going_on.size();
  const std::vector<int> before = replicates_in(study.spec, study, experiment, part);
  const std::vector<int> due = replicates_in(study.spec, study, experiment, part + 1);
  RunsQueued queued =
      interleaved(study, Purpose::registered, r.cells, r.replicates, r.aa, registered_randomness(study, r));
  queued.experiment = r.experiment;
  std::erase_if(queued.runs, [&](const PlannedRun& run) {
    const auto cell = static_cast<std::size_t>(run.cell);
    return run.replicate <= before[cell] || run.replicate > due[cell];
  });
  int number = static_cast<int>(study.runs.size());
  for (PlannedRun& run : queued.runs) run.number = ++number;
  // The first part has them, so that they come before every verdict.
  if (part == 0) queued = with_repeats(study, r, std::move(queued));
  return with_stages(study.spec, std::move(queued));
}

}  // namespace kernel

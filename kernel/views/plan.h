#pragma once
// The plan of a study before anything runs: cells, commands, runs, power and what the budget allows. Pure.

#include <optional>
#include <string>
#include <vector>

#include "kernel/outlook/schedule.h"
#include "kernel/study/state.h"

namespace kernel {

/// Bounds on a number of runs; equal if it does not depend on the pilot.
struct RunCount {
  int least = 0, most = 0;
};

struct PlannedHypothesis {
  Hypothesis hypothesis;
  bool derived = false;
  int treatment_cells = 0, control_cells = 0;  ///< For slopes, all cells count as treatment.
  RunCount replicates;
  std::optional<double> power_least, power_most;  ///< For the smallest effect, at those replicates; none if unknown.
  std::string note;                               ///< How the replicates are determined.
  bool refused = false;                           ///< No allowed number of replicates can give a verdict.
};

struct PlannedCell {
  std::string stage;  ///< The name of an earlier stage; empty if the run measures.
  Cell cell;
  std::vector<std::string> command;  ///< argv of its first replicate, with the sandbox's paths.
};

struct PlannedEvaluation {
  Tier tier = Tier::none;
  std::vector<std::vector<std::string>> commands;  ///< Each distinct argv over the cells of the registration.
};

/// A look before all runs have ended.
struct PlannedLook {
  double share = 0;  ///< Share of every cell's replicates.
  double level = 0;  ///< Level of a one-sided test at this look, at α/M.
};

struct StudyPlan {
  std::vector<PlannedHypothesis> hypotheses;
  std::vector<PlannedCell> cells;
  std::vector<PlannedEvaluation> evaluations;
  std::vector<std::uint64_t> seeds;  ///< The first few registered seeds; none if they are drawn later.
  /// Hypotheses for which no smallest effect in the metric's unit is declared although one would allow a verdict.
  std::vector<std::string> undeclared;
  int family = 0;
  std::vector<PlannedLook> looks;  ///< Looks before the last; empty if no cell has enough runs for one.
  int smoke = 0, pilot = 0, warmup = 0;
  RunCount aa;                       ///< The A/A runs of the control, among the registered runs; never evidence.
  int repeats = 0;                   ///< Of a smoke run, among the registered runs; never evidence.
  std::optional<SearchPlan> search;  ///< For screenings and optimisations; `registered` is then the confirmation.
  int search_runs = 0;               ///< The most runs of the search.
  RunCount registered, total;
  /// The runs in their order, the fewest and the most that the design allows; levels as in `run` documents
  /// (`shown_cell`). A search's later candidates are not known yet: their cells have only what is known.
  PlannedWork least, most;
  /// Why the budget does not allow this design; empty if it does, or if there is no budget.
  std::string shortfall;
};

/// `jobs`: runs beside one another, of which a search by a model proposes as many at a time.
StudyPlan plan_of(const StudySpec&, int jobs = 1);

/// Why the runs of the next registration do not fit what is left of the budget, by the times of the trials so far;
/// empty if they may fit. Precondition: the sample is sized, and not registered.
std::string budget_outlook(const Study&);

}  // namespace kernel

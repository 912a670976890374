#pragma once
// What a study would do, before it does anything: cells, commands, runs, power and what the budget allows. Pure.

#include <optional>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Counts of runs; equal ends where nothing is left to a pilot.
struct RunCount {
  int least = 0, most = 0;
};

struct PlannedHypothesis {
  Hypothesis hypothesis;
  bool derived = false;
  int treatment_cells = 0, control_cells = 0;  ///< Slopes: all cells count as treatment.
  RunCount replicates;
  std::optional<double> power_least, power_most;  ///< For the smallest effect, at those replicates; none: not known.
  std::string note;                               ///< How its replicates come about.
  bool refused = false;                           ///< No number of replicates the design allows can give a verdict.
};

struct PlannedCell {
  std::string stage;  ///< An earlier stage's name; empty: the run measures.
  Cell cell;
  std::vector<std::string> command;  ///< argv of its first replicate, with the sandbox's paths.
};

struct PlannedEvaluation {
  Tier tier = Tier::none;
  std::vector<std::vector<std::string>> commands;  ///< Each argv once, over the cells of the registration.
};

/// A look before all runs are there.
struct PlannedLook {
  double share = 0;  ///< Of every cell's replicates.
  double level = 0;  ///< What a one-sided test may use there, at α/M.
};

struct StudyPlan {
  std::vector<PlannedHypothesis> hypotheses;
  std::vector<PlannedCell> cells;
  std::vector<PlannedEvaluation> evaluations;
  std::vector<std::uint64_t> seeds;  ///< The first few registered seeds.
  int family = 0;
  std::vector<PlannedLook> looks;  ///< Before the last; none where no cell has enough runs for one.
  int smoke = 0, pilot = 0, warmup = 0;
  RunCount aa;                       ///< The control once more, among the registered and no evidence.
  std::optional<SearchPlan> search;  ///< Of screenings and optimisations; `registered` is then the confirmation.
  int search_runs = 0;               ///< At most.
  RunCount registered, total;
  /// Why the budget does not buy this design; empty: it does, or there is none.
  std::string shortfall;
};

StudyPlan plan_of(const StudySpec&);

}  // namespace kernel

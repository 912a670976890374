#pragma once
// Scores of a search's runs and the ranking of its candidates by their means over replicates. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

struct CellOutcome {
  Cell cell;
  std::uint64_t seed = 0;
  std::optional<double> value;  ///< `selection_value`
};

/// The metric's value (its logarithm on a log scale, so that means are geometric). None if the run has none or failed.
std::optional<double> selection_value(const Metric&, const Run&);

/// "rung 2", the label of a rung's runs.
std::string rung_label(int rung);

/// The outcome of every run of the search, with the level of the fidelity factor; with a label, of its runs. In a
/// search for two metrics a run has failed unless it has values of both.
std::vector<CellOutcome> search_outcomes(const Study&, const Metric&, const std::string& label = "");

/// The candidates with n, failed, mean and sd from the outcomes of their cells, best first. A failed run counts as the
/// worst value of all; candidates with only failed runs are last.
std::vector<Candidate> best_first(const Metric&, std::vector<Candidate>, const std::vector<CellOutcome>&);

/// What a search by a model expects of its best candidate.
struct ExpectedGain {
  double gain = 0;      ///< Of the best over the baseline in the metric's unit; positive is better.
  double on_scale = 0;  ///< The same on the selection's scale.
  double variance = 0;  ///< Of runs of one setting on the selection's scale, pooled over the search's settings.
  int df = 0;           ///< The variance's; 0 if no setting was run twice.
};
/// None before the last ranking, for other searches, and without estimates of the baseline and the best.
std::optional<ExpectedGain> expected_gain(const Study&);
/// The last ranking of a search by a model; null before it and for other searches.
const RungRanked* last_ranking(const Study&);
/// The best that a ranking keeps; null if it keeps nothing.
const Candidate* best_kept(const RungRanked&);

/// The score of a version of the code on the selection's scale; higher is better. `n` counts runs with a value.
struct CodeScore {
  const CodeVersion* version = nullptr;  ///< Null for the person's version.
  int n = 0, failed = 0;
  std::optional<double> mean;  ///< Failed runs count as the worst value of all.
  double cautious = 0;         ///< A lower confidence bound of the mean.

  const char* id() const { return version ? version->id.c_str() : original_code; }
  bool fails() const { return n == 0 && failed > 0; }
};
/// The person's version first, then the others in order.
std::vector<CodeScore> code_scores(const Study&);
/// The standard deviation of one run of a version, on the selection's scale, pooled over the versions with several
/// runs. None if there are none.
std::optional<double> noise_of_versions(const Study&);

/// Runs of a version that count for selection: runs of the search, not superseded and not of an earlier stage.
std::vector<const Run*> runs_of_version(const RunBoard&, const std::string& version);

}  // namespace kernel

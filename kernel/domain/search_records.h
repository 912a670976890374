#pragma once
// Contents of the events of searches. Screenings and optimisations select hypotheses for confirmation. Searches over
// code plan rounds of work for engineers, who write versions of it. Runs and scores of a search are never evidence.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/records.h"

namespace kernel {

/// How candidates are chosen: all cells, a regular fraction of them, points of a Latin hypercube, candidates for
/// successive halving, versions that engineers write, few cells and then those that a model of the response proposes,
/// or versions that are kept or discarded one after another.
enum class SearchDesign { full, fraction, latin, halving, versions, model, keep_or_discard };

/// One round of runs. All its candidates run on the same seeds, interleaved. In a search by a model the last ranking
/// lists every candidate of the search, and those before it list their own.
struct Rung {
  int candidates = 0;    ///< Without the baseline; in a refinement the maximum.
  int replicates = 0;    ///< Per cell.
  int first_seed = 0;    ///< Index into Registration::seeds; rungs share seeds only if one continues the other's runs.
  std::string fidelity;  ///< Level of the fidelity factor; empty if there is none.
  bool refines = false;  ///< Adds new candidates near the best to the kept ones.
  bool proposes{};       ///< Its candidates are those that the model proposes; from here on no baseline is measured.
  bool decides{};        ///< Of the model's last rung: its candidates are the best so far, by the model.
  /// Its candidates come from all rounds: settings that wait one level below, chosen by the model.
  bool thaws{};
};

/// Fixed before the first of the search's runs; its hash is recorded in the event log.
struct SearchPlan {
  /// The remaining terms, as for an experiment without hypotheses. `cells` are the first rung's candidates without the
  /// fidelity factor; `seeds` are those of all rungs.
  Registration registered;
  StudyKind kind = StudyKind::screen;
  SearchDesign design = SearchDesign::full;
  std::string metric;
  Goal goal = Goal::minimize;
  int resolution = 0;                   ///< Resolution of a fraction; 0 for other designs.
  std::vector<std::string> generators;  ///< "e = a×b×c×d"
  std::vector<std::string> aliases;     ///< "a×b = c×d": effects that the design cannot separate.
  std::optional<Cell> baseline;         ///< Optimisation: measured as `has_baseline` says.
  std::string fidelity;                 ///< The fidelity factor; empty: replicates increase instead.
  int eta = 3;
  std::vector<Rung> rungs;
  int top = 1;
  int confirm_replicates = 0;
  int confirm_most{};              ///< Confirm::most
  Reason rule;                     ///< How the selection is made.
  std::optional<CodeSpec> code{};  ///< Only for a search over versions.
  /// StudySpec::objectives; the first is `metric`. The family has two hypotheses for each of `top` settings.
  std::vector<Objective> objectives{};
};

/// One cell of a rung and its measured values.
struct Candidate {
  Cell cell;  ///< Without the fidelity factor.
  int n = 0;  ///< Runs with a value: of the rung, in a race (kernel/search/race.h) and a last ranking of all rungs.
  int failed = 0;
  std::optional<double> mean;  ///< Failed runs count as the worst value of these; none if no run had a value.
  std::optional<double> sd;    ///< Of the runs with a value.
  bool baseline = false;
  bool refined = false;  ///< Added by the refinement.
  bool kept = false;     ///< Continues to the next rung or into the confirmation.
  /// Search by a model, last ranking: what the model expects, on the scale of `mean`, and the standard deviation of
  /// that (on a log scale of its logarithm).
  std::optional<double> estimate{}, estimate_sd{};
  /// The same of the second metric, in a search for two. A run with a value of one of them only has failed.
  std::optional<double> second_mean{}, second_sd{}, second_estimate{}, second_estimate_sd{};
};

/// What a version had to gain over its base to be kept, and what it gained, on the selection's scale (a logarithm if
/// the metric has a log scale); more is better. See kernel/search/keep_or_discard.h.
struct NoiseFloor {
  int runs = 0;                ///< Runs of the person's own code that measured the noise.
  double sd = 0;               ///< Their standard deviation.
  double quantile = 0;         ///< Of Student's t with `runs` − 1 degrees of freedom.
  bool again = false;          ///< The re-test: version and base ran on the same fresh seeds.
  int compared = 0;            ///< Runs of the base behind its mean; of a re-test the pairs.
  double least = 0;            ///< The floor: what the gain must exceed.
  std::optional<double> gain;  ///< None if a run that it needs failed.
};

/// An estimated effect of a screening: mean at `high` minus mean at `low`.
struct FactorEffect {
  std::vector<std::string> factors;  ///< One, or two for an interaction that the design can estimate.
  std::string low, high;             ///< Levels; only for a single factor.
  std::optional<double> effect, se, df;
  std::optional<double> interval_low, interval_high;  ///< Student's t at 1 − alpha; valid for a single look.
  std::array<int, 2> n = {0, 0}, failed = {0, 0};     ///< Runs at `low` and at `high`.
  bool kept = false;                                  ///< Carried into the confirmation.
};

/// The task of an engineer in a step.
enum class CodeOperator { draft, debug, improve, ablate, merge };

/// One engineer's turn. It ends with a version of the code, or without one.
struct CodeStep {
  std::string id;  ///< "improve-4"; also the id of the line of work.
  CodeOperator op = CodeOperator::draft;
  std::vector<std::string> parents;  ///< Levels of the factor `code`; the branch starts from the first.
  int round = 1;
};

/// A node of the tree of versions; it becomes a level of the factor `code`.
struct CodeVersion {
  std::string id;  ///< "v4", of the step "improve-4"; `original_code` is the person's version.
  std::string step;
  CodeOperator op = CodeOperator::draft;
  std::vector<std::string> parents;
  std::string why;  ///< In the engineer's words.
  WorkspaceRecord workspace;
  BlobRef diff;   ///< Unified diff from the person's version.
  int lines = 0;  ///< Lines that the diff adds or removes, whichever is more; 0 if they were not counted.
};

/// The score of a version when a round began; all steps of the round see the same scores, whenever they start.
struct KnownScore {
  std::string version;  ///< `original_code` for the person's version.
  int n = 0, failed = 0;
  std::optional<double> mean;  ///< CodeScore::mean
};

}  // namespace kernel

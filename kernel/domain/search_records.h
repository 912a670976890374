#pragma once
// What the events of a screening or an optimisation carry. A search selects what is to be confirmed; its runs are
// evidence for nothing, and nothing in here is a verdict.
// What the events of a code search carry: rounds of what is asked of engineers, and the versions of the code that came
// of it. Scores of versions are selection, never evidence.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/records.h"

namespace kernel {

/// How the first candidates were chosen: all cells, a regular fraction of them, points of a Latin hypercube,
/// candidates for successive halving, or none: engineers write them.
enum class SearchDesign { full, fraction, latin, halving, versions };

/// One round of runs: every candidate of it on the same seeds, interleaved.
struct Rung {
  int candidates = 0;    ///< Without the baseline; of a refinement at most.
  int replicates = 0;    ///< Per cell.
  int first_seed = 0;    ///< Index into Registration::seeds: no rung shares a seed with another.
  std::string fidelity;  ///< The level of the fidelity factor; empty: there is none.
  bool refines = false;  ///< New candidates around the best join those that were kept.
};

/// Fixed before any of the search's runs exists; its hash stands in the event log.
struct SearchPlan {
  /// What else decides how the runs come out, as for an experiment, without hypotheses. `cells` are the first rung's
  /// candidates without the fidelity factor, `seeds` those of all rungs.
  Registration registered;
  StudyKind kind = StudyKind::screen;
  SearchDesign design = SearchDesign::full;
  std::string metric;
  Goal goal = Goal::minimize;
  int resolution = 0;                   ///< Of a fraction; 0: there is none.
  std::vector<std::string> generators;  ///< "e = a×b×c×d"
  std::vector<std::string> aliases;     ///< "a×b = c×d": what cannot be told apart.
  std::optional<Cell> baseline;         ///< Optimisation: measured in every rung.
  std::string fidelity;                 ///< The factor; empty: replicates rise instead.
  int eta = 3;
  std::vector<Rung> rungs;
  int top = 1;
  int confirm_replicates = 0;
  std::string rule;                ///< In words.
  std::optional<CodeSpec> code{};  ///< Of versions.
};

/// One cell of a rung and what its runs measured.
struct Candidate {
  Cell cell;  ///< Without the fidelity factor.
  int n = 0;  ///< Runs with a value.
  int failed = 0;
  std::optional<double> mean;  ///< Failed runs count as the worst value of the rung; none: no run had one.
  std::optional<double> sd;    ///< Of those with a value.
  bool baseline = false;
  bool refined = false;  ///< It came with the refinement.
  bool kept = false;     ///< It goes on to the next rung, or into the confirmation.
};

/// An estimate of a screening: `high` less `low`.
struct FactorEffect {
  std::vector<std::string> factors;  ///< One; two of an interaction, where the design can tell it.
  std::string low, high;             ///< Levels of a single factor.
  std::optional<double> effect, se, df;
  std::optional<double> interval_low, interval_high;  ///< Student's t at 1 − alpha, for no more than one look.
  std::array<int, 2> n = {0, 0}, failed = {0, 0};     ///< Runs at `low` and at `high`.
  bool kept = false;                                  ///< It is carried into the confirmation.
};

/// What an engineer is asked to do with the versions that a step begins with.
enum class CodeOperator { draft, debug, improve, ablate, merge };

/// One engineer's turn at the code. It ends with a version, or with none.
struct CodeStep {
  std::string id;  ///< "improve-4": the line of work's, too.
  CodeOperator op = CodeOperator::draft;
  std::vector<std::string> parents;  ///< Level names of the factor `code`; its branch begins with the first.
  int round = 1;
};

/// A node of the tree of versions, and a level of the factor `code` from then on.
struct CodeVersion {
  std::string id;  ///< "v4", of the step "improve-4"; `original_code` is the person's own.
  std::string step;
  CodeOperator op = CodeOperator::draft;
  std::vector<std::string> parents;
  std::string why;  ///< In the engineer's words.
  WorkspaceRecord workspace;
  BlobRef diff;  ///< Unified, against the person's own version.
};

/// What was known of a version when a round began: the same for all who work in it, whoever is quicker.
struct KnownScore {
  std::string version;  ///< `original_code`: the person's own.
  int n = 0, failed = 0;
  std::optional<double> mean;  ///< CodeScore::mean
};

}  // namespace kernel

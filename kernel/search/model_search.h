#pragma once
// The search by a model of the response: a Gaussian process over the settings (stats/surrogate/gaussian_process.h)
// proposes the next candidates where it expects most improvement, times the chance that their runs do not fail, by a
// second process over the failures. Pure.
// Proposals and estimates depend on the machine's arithmetic, so the log records them, and nobody computes them again
// to check them: selection is no evidence. For two metrics there is a process for each, and a candidate is worth the
// hypervolume that it is expected to add (stats/surrogate/hypervolume.h).

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "kernel/domain/search_records.h"
#include "kernel/domain/study_spec.h"
#include "kernel/search/failure_model.h"
#include "kernel/study/search_scores.h"
#include "stats/surrogate/gaussian_process.h"
#include "stats/surrogate/hypervolume.h"

namespace kernel {

/// Runs of a search without `budget.runs`, and the most that a search by a model makes.
inline constexpr int model_runs_without_budget = 60, most_model_runs = 1000;

/// How the last runs of a search by a model are planned: each after the results of those before it, or, in plans of
/// earlier programs and for two metrics, some replicates of the best in one rung.
enum class LastRuns { in_turn, at_once };

/// The rungs of a search by a model with so many runs in all and as many proposals at a time as runs may go beside one
/// another. Precondition: at least 2 runs.
std::vector<Rung> model_rungs(const StudySpec&, std::int64_t runs, int beside, LastRuns = LastRuns::in_turn);
/// How a recorded plan has them. Where one rung of so many candidates could be both, the rungs are the same.
LastRuns last_runs_of(const SearchPlan&);
/// `search_plan` with the draw of a recorded plan, in the form that this one has if an earlier program wrote it.
SearchPlan planned_again(const Study&, const SearchPlan& recorded);

/// Rungs of a search with a fidelity: successive halving, then more of it from settings that a model proposes, for as
/// many runs as there are; at last the best are run again at the highest fidelity. One replicate of each before that.
/// (BOHB: Falkner, Klein & Hutter, ICML 2018, with a Gaussian process over settings and fidelity.) Empty if the runs do
/// not suffice for a proposal.
std::vector<Rung> model_halving_rungs(const StudySpec&, std::int64_t runs);

/// What is known of a search's settings after its runs. With a fidelity, of the settings at its highest level, to which
/// runs at lower levels contribute.
class ResponseModel {
 public:
  /// `outcomes` with the level of the fidelity factor, if there is one.
  ResponseModel(const StudySpec&, const Metric&, const std::vector<CellOutcome>& outcomes);

  /// Up to `count` allowed cells that are worth a run, distinct, possibly among those tried, without the fidelity
  /// factor. Cells drawn at random while fewer than two cells have a value.
  std::vector<Cell> proposals(int count, std::uint64_t seed) const;
  /// Up to `count` distinct cells with the best estimates, the first of them wherever it lies, the others among those
  /// tried; without the baseline.
  std::vector<Cell> best(int count, std::uint64_t seed) const;
  /// The `count` of these settings, without the fidelity factor, whose results at its highest level are expected to
  /// improve most on the best, each as if those before it had given the expected values. The first ones if nothing is
  /// modelled.
  std::vector<Cell> most_promising(std::vector<Cell> settings, std::size_t count) const;
  /// Up to `count` of `best` whose next runs are expected to lower the best estimate most (the knowledge gradient:
  /// stats/surrogate/replicates.h), each as if those before it had given the expected values. Without cells that were
  /// run again `design.replicates.max` times, unless nothing else is left. For a search without a fidelity.
  std::vector<Cell> deciding(int count, std::uint64_t seed) const;
  /// On the selection's scale (`selection_value`). None if the cell has no run with a value or nothing is modelled.
  /// Failed runs of the cell count as the worst value of all.
  std::optional<stats::Predicted> estimate(const Cell&) const;

 private:
  friend class TwoResponses;
  struct Tried {
    Cell setting;                     ///< Without the fidelity factor.
    std::vector<double> at, highest;  ///< Its position, and that of its setting at the highest fidelity.
    int n = 0, failed = 0;
    double mean = 0, squares = 0;  ///< Lower is better.
  };
  struct Scored;

  std::vector<double> position(const Cell&) const;
  std::optional<Cell> cell_at(const std::vector<double>& point) const;
  double apart(const std::vector<double>& one, const std::vector<double>& other) const;
  bool is_near_any(const std::vector<double>& point, const std::vector<std::vector<double>>& others) const;
  /// The chance that a run there does not fail.
  double feasible(const std::vector<double>& point) const;
  std::vector<std::vector<double>> best_tried() const;
  double best_expected(const stats::GaussianProcess&) const;
  template <typename Score>
  std::vector<Scored> searched(const Score&, const std::vector<std::vector<double>>& centres, std::uint64_t seed) const;

  const StudySpec* spec_ = nullptr;
  std::vector<const Factor*> factors_;  ///< The fidelity is the last.
  std::size_t axes_ = 0;                ///< Factors without the fidelity.
  std::vector<bool> categorical_;
  double better_ = 1;  ///< −1 where higher is better.
  double worst_ = 0;
  std::map<Cell, Tried> tried_;
  std::optional<std::vector<Cell>> all_;  ///< If they are few.
  std::optional<stats::GaussianProcess> process_;
  std::optional<FailureModel> failures_;
};

/// The same for two metrics at once. Pairs of values are on the selection's scale, turned so that lower is better.
class TwoResponses {
 public:
  /// Both metrics' outcomes of the same runs. Only what lies below `reference` and within the limits (`limits_of`)
  /// counts as a gain.
  TwoResponses(const StudySpec&, const std::array<std::vector<CellOutcome>, 2>& outcomes,
               const stats::TwoValues& reference);

  std::vector<Cell> proposals(int count, std::uint64_t seed) const;
  /// Up to `count` of the cells that were tried, without the baseline: those that `choice` takes, and then again of the
  /// rest.
  std::vector<Cell> best(int count, std::uint64_t seed) const;
  /// One for each metric, as `ResponseModel::estimate`.
  std::array<std::optional<stats::Predicted>, 2> estimates(const Cell&) const;

 private:
  stats::TwoValues expected(const std::vector<double>& point) const;

  const StudySpec* spec_ = nullptr;
  stats::TwoValues reference_;
  std::array<ResponseModel, 2> models_;
};

}  // namespace kernel

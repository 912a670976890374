#pragma once
// How long a run of a cell is expected to take, from runs that ended. Pure.

#include <map>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "kernel/outlook/run_times.h"

namespace kernel {

/// The standard error of a logarithm about which nothing is known: the number may be wrong by a factor of two.
inline constexpr double factor_of_two = std::numbers::ln2;

/// What is expected of one run.
struct ExpectedTime {
  double mean_s = 0;
  double error = 0;    ///< Standard error of the logarithm of `mean_s`.
  double scatter = 0;  ///< Standard deviation of the logarithm, from run to run.
  bool seen = true;    ///< Whether runs of this cell ended; otherwise it is guessed from others.
};

/// A cell with runs has their mean. Any other has the product of the effects of its levels: additive main effects on
/// the logarithm of the cells' means, fitted by least squares (backfitting: Buja, Hastie & Tibshirani, "Linear
/// smoothers and additive models", Annals of Statistics 17, 1989). A level that no run had counts as an average one.
class DurationModel {
 public:
  explicit DurationModel(std::span<const RunTime>);

  bool empty() const { return stages_.empty(); }
  /// A cell may leave factors out: then it stands for all cells that agree with it. None without runs.
  std::optional<ExpectedTime> expected(const std::string& stage, const Cell&) const;
  /// Standard deviation, between studies, of the logarithm of how long the same cells take; 0 if there is only one.
  double drift() const { return drift_; }
  /// Watts of a run with energy counters, as a mean over their time; none if no run had any.
  std::optional<double> watts() const { return watts_; }

 private:
  struct Group {
    int runs = 0;
    double seconds = 0;            ///< Sum.
    double logs = 0, squares = 0;  ///< Sum of the logarithms and of their squares.
  };
  struct Stage {
    std::map<Cell, Group> groups;
    double scatter = 0;                                             ///< Pooled over the cells.
    double centre = 0;                                              ///< Mean of the logarithms of the cells' means.
    std::map<std::pair<std::string, std::string>, double> effects;  ///< Of (factor, level).
    double misfit = 0;                                              ///< Residual standard deviation of the effects.
  };
  static void fit(Stage&);

  std::map<std::string, Stage> stages_;
  double drift_ = 0;
  std::optional<double> watts_;
};

}  // namespace kernel

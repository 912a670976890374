#pragma once
// Where the runs of a search fail: a Gaussian process over the share of failed runs, with lengths of its own, since
// what makes runs fail need not be what the metric depends on, and values of single factors that are barred. Pure.

#include <optional>
#include <vector>

#include "stats/surrogate/gaussian_process.h"

namespace kernel {

/// The runs of one setting.
struct RunsAt {
  std::vector<double> at;  ///< One coordinate from 0 to 1 for every axis.
  int usable = 0, failed = 0;
};

class FailureModel {
 public:
  /// None while no run or every run failed. `axes`: the first of the coordinates that can be barred. Precondition:
  /// every setting has a run.
  static std::optional<FailureModel> learned(const std::vector<bool>& categorical, std::size_t axes,
                                             std::vector<RunsAt> settings);

  /// The chance that fewer than half of a point's runs fail.
  double chance(const std::vector<double>& point) const;

 private:
  /// Values of one factor with which every run failed, beyond a number or of a category, and more often than chance.
  struct Barred {
    std::size_t axis = 0;
    double from = 0, to = 0;
  };

  FailureModel(const std::vector<bool>& categorical, std::vector<stats::ObservedPoint> points)
      : share_(categorical, std::move(points)) {}
  void bar(const std::vector<RunsAt>& settings, std::size_t axis, bool category, std::size_t axes, double share);

  stats::GaussianProcess share_;
  std::vector<Barred> barred_;
};

}  // namespace kernel

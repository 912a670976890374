#pragma once
// Linear models by least squares, small and dense. Pure; any thread.

#include <optional>
#include <vector>

namespace stats {

struct LinearFit {
  std::vector<double> coefficients;
  std::vector<std::vector<double>> inverse;  ///< (X'X)^-1: times the error's variance, the coefficients' covariance.
  double residual_squares = 0;
  int df = 0;  ///< Rows less columns.

  /// Σ weight · coefficient.
  double combined(const std::vector<double>& weights) const;
  /// The combination's variance divided by the error's variance.
  double variance_factor(const std::vector<double>& weights) const;
};

/// Draper & Smith, "Applied regression analysis", 3rd ed. (1998), ch. 5, by Cholesky's factorisation of the normal
/// equations, which is exact enough for columns of the size of one. None where the columns depend on one another or
/// are more than the rows. Every row has as many entries.
std::optional<LinearFit> least_squares(const std::vector<std::vector<double>>& rows, const std::vector<double>& y);

}  // namespace stats

#include "stats/designs/least_squares.h"

#include <cmath>

#include "base/assert.h"

namespace stats {

namespace {

using Matrix = std::vector<std::vector<double>>;

/// Below this share of a column's own square nothing of it is left once the others are taken out.
constexpr double dependent = 1e-10;

/// The lower factor L of a = L L'.
std::optional<Matrix> cholesky(const Matrix& a) {
  Matrix lower(a.size(), std::vector<double>(a.size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i][k] * lower[j][k];
      if (i != j) {
        lower[i][j] = sum / lower[j][j];
      } else {
        if (!(sum > dependent * a[i][i])) return std::nullopt;
        lower[i][i] = std::sqrt(sum);
      }
    }
  return lower;
}

std::vector<double> solved(const Matrix& lower, std::vector<double> b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= lower[i][k] * b[k];
    b[i] /= lower[i][i];
  }
  for (std::size_t i = b.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < b.size(); ++k) b[i] -= lower[k][i] * b[k];
    b[i] /= lower[i][i];
  }
  return b;
}

}  // namespace

double LinearFit::combined(const std::vector<double>& weights) const {
  ETUDE_ASSERT(weights.size() == coefficients.size());
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * coefficients[i];
  return sum;
}

double LinearFit::variance_factor(const std::vector<double>& weights) const {
  ETUDE_ASSERT(weights.size() == inverse.size());
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[i] * inverse[i][j] * weights[j];
  return sum;
}

std::optional<LinearFit> least_squares(const Matrix& rows, const std::vector<double>& y) {
  ETUDE_ASSERT(rows.size() == y.size());
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  if (columns == 0 || rows.size() < columns) return std::nullopt;
  Matrix normal(columns, std::vector<double>(columns, 0.0));
  std::vector<double> right(columns, 0.0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    ETUDE_ASSERT(rows[r].size() == columns);
    for (std::size_t i = 0; i < columns; ++i) {
      right[i] += rows[r][i] * y[r];
      for (std::size_t j = 0; j < columns; ++j) normal[i][j] += rows[r][i] * rows[r][j];
    }
  }
  const std::optional<Matrix> lower = cholesky(normal);
  if (!lower) return std::nullopt;
  LinearFit fit;
  fit.coefficients = solved(*lower, right);
  for (std::size_t i = 0; i < columns; ++i) {
    std::vector<double> unit(columns, 0.0);
    unit[i] = 1;
    fit.inverse.push_back(solved(*lower, std::move(unit)));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double residual = y[r] - fit.combined(rows[r]);
    fit.residual_squares += residual * residual;
  }
  fit.df = static_cast<int>(rows.size() - columns);
  return fit;
}

}  // namespace stats

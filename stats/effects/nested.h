#pragma once
// Values in outer units (training runs, splits, blocks), several in each. The outer unit was replicated, so it is the
// unit of every test; inner values only make its mean more precise. Pure; any thread.

#include <optional>
#include <span>
#include <vector>

namespace stats {

/// The inner values of each outer unit.
using OuterUnits = std::span<const std::vector<double>>;

struct VarianceComponents {
  double between = 0;                ///< Of the outer units' true means; 0 where the estimate is negative.
  double within = 0;                 ///< Of the values inside a unit.
  std::optional<double> intraclass;  ///< between / (between + within); none where nothing varies.
};

/// One-way random effects by the method of moments for unequal sizes: between = (MSB − MSW)/n₀, n₀ = (N − Σn²/N)/(k −
/// 1). Searle, Casella & McCulloch, "Variance components" (1992), §3.6. None unless there are two units, one of them
/// has two values, and all are finite.
std::optional<VarianceComponents> variance_components(OuterUnits);

}  // namespace stats

#pragma once
// Where one more noisy measurement helps most to choose the lowest of few quantities. Pure.

#include <vector>

namespace stats {

/// What is believed of several quantities: jointly normal.
struct JointBelief {
  std::vector<double> means;
  std::vector<double> covariance;  ///< Row after row, as many rows as means.
};

/// By how much one more measurement of each quantity is expected to lower the lowest mean, at least 0 (knowledge
/// gradient for correlated beliefs: Frazier, Powell & Dayanik, INFORMS Journal on Computing 21 (2009)). Exact: after
/// the measurement each mean is a line in one standard normal variable, and the expectation of their minimum is summed
/// over the intervals between crossings. `noise_variances` > 0: of one measurement of each. Time grows with the fourth
/// power of the number of quantities: for few.
std::vector<double> knowledge_gradients(const JointBelief&, const std::vector<double>& noise_variances);

}  // namespace stats

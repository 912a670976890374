#pragma once
// The power of a study whose units are blocks. Their number is fixed, and replicates only make each block's mean more
// precise. A pilot separates the variance between blocks from that within blocks. Pure; any thread.

#include <functional>
#include <optional>
#include <span>

#include "kernel/inference/estimate.h"

namespace kernel {

/// The power at level alpha for the hypothesis's smallest effect, as a function of replicates per cell. With n
/// replicates, the variance of a block's contrast is between + within/n (stats::variance_components of the pilot's
/// contrasts within seeds). Variance and test both have as many degrees of freedom as there are blocks less one
/// (stats::fresh_power). If the effect is in standard deviations of a block's contrast, replicates and pilot do not
/// matter. None if the pilot does not give the variances.
std::optional<std::function<double(int)>> power_in_blocks(const StudySpec&, const Hypothesis&, double alpha,
                                                          std::span<const RunValue> pilot);

}  // namespace kernel

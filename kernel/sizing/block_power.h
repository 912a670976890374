#pragma once
// The power of a study whose units are blocks: their number is given, and replicates only make each block's mean more
// precise. A pilot tells what varies between blocks from what varies inside them. Pure; any thread.

#include <functional>
#include <optional>
#include <span>

#include "kernel/inference/estimate.h"

namespace kernel {

/// Power at level alpha by replicates per cell, for the hypothesis's smallest effect. With n of them the variance of a
/// block's contrast is taken to be between + within/n (stats::variance_components of the pilot's contrasts within
/// seeds), known with as many degrees of freedom as there are blocks less one, which the test has, too
/// (stats::fresh_power). In standard deviations of a block's contrast replicates do not matter, and no pilot is asked.
/// None where the pilot does not tell.
std::optional<std::function<double(int)>> power_in_blocks(const StudySpec&, const Hypothesis&, double alpha,
                                                          std::span<const RunValue> pilot);

}  // namespace kernel

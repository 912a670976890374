#pragma once
// What a search by a model says in the end: the setting to use or that the baseline is to be kept, whether the best
// lies at the end of a range, how many candidates may be as good, and how likely the confirmation was to find the gain
// expected.

#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The power of the confirmation for the gain that the model expects, from the spread of runs of the same setting.
struct ExpectedGain {
  double gain = 0;  ///< Estimate of the baseline less that of the best, or the reverse where higher is better.
  std::optional<double> power;  ///< None without three degrees of freedom for the spread.
};

/// None before the last ranking, for other searches, and without estimates of the baseline and the best.
std::optional<ExpectedGain> expected_gain(const Study&);

/// Sentences; empty before the last ranking and for other searches. Use or keep comes first once all verdicts are
/// there.
std::vector<Reason> search_advice(const Study&);

}  // namespace kernel

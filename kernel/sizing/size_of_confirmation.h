#pragma once
// The size of the confirmation of what a search by a model selected. Pure.

#include <optional>

#include "kernel/study/search_scores.h"

namespace kernel {

/// Probability that the confirmation with so many replicates finds the expected gain: of the one-sided t test at level
/// alpha / top, by an upper limit of the variance between runs of one setting. Pairs by seed are taken to be no more
/// alike than any two runs, which is cautious. None for a gain that is not positive, and without three degrees of
/// freedom of the variance.
std::optional<double> confirmation_power(const StudyTerms&, const ExpectedGain&, int replicates);

/// The fewest replicates from `confirm.replicates` to `confirm.most` that reach `design.power` for the expected gain,
/// else the most; without a gain or a variance the fewest. Precondition: the design has a confirmation with a most.
SizeRecord confirmation_size(const Study&);

}  // namespace kernel

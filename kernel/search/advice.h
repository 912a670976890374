#pragma once
// What a search by a model says in the end: the setting to use or that the baseline is to be kept, whether a best that
// beats the baseline lies at the end of a range, how many candidates may be as good, beyond which values every run
// failed, and how likely the confirmation was to find the gain expected.

#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Sentences; empty before the last ranking and for other searches. Use or keep comes first once all verdicts are
/// there.
std::vector<Reason> search_advice(const Study&);

}  // namespace kernel

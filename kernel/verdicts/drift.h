#pragma once
// Whether a metric's values follow the order in which the runs ran: a machine that warms up, a disk that fills, company
// that comes and goes. Pure; any thread.

#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// A warning for people; empty where nothing shows at 1 %. Looks at what is left of each value once its cell's mean is
/// gone, over the experiment's runs that count, in the order of their starts: runs about the median, and Kendall's rank
/// correlation. Where cells share their seeds a seed's mean is one value, for what a seed does to all its runs, which
/// follow each other, is no drift. Deterministic metrics, cells of one run and fewer than 8 values say nothing.
Reason drift_warning(const Study&, const Experiment&, const std::string& metric);

}  // namespace kernel

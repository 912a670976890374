#pragma once
// Whether a metric's values follow the order in which the runs ran: a machine that warms up, a disk that fills, company
// that comes and goes. Pure; any thread.

#include <string>

#include "kernel/state.h"

namespace kernel {

/// A warning for people; empty where nothing shows at 1 %. Looks at what is left of each value once its cell's mean is
/// gone, over the experiment's runs that count, in the order of their starts: runs about the median, and Kendall's rank
/// correlation. Deterministic metrics and cells of one run say nothing.
std::string drift_warning(const Study&, const Experiment&, const std::string& metric);

}  // namespace kernel

#pragma once
// What a study's runs say against its own declarations. It judges no hypothesis. Pure; any thread.

#include "kernel/study/state.h"

namespace kernel {

/// Metrics of the experiment's registration that are declared deterministic, yet differ between two runs of one cell,
/// be they smoke, pilot or registered. One finding per metric, at its first two runs that disagree.
std::vector<IntegrityFound> integrity(const Study&, const Experiment&);

}  // namespace kernel

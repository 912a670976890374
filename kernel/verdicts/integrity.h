#pragma once
// Finds runs that contradict declarations of the study. Judges no hypothesis. Pure; any thread.

#include "kernel/study/state.h"

namespace kernel {

/// Metrics declared deterministic that differ between two runs of one cell (smoke, pilot or registered), and metrics of
/// the evaluator that jobs wrote themselves. One finding per metric and cause; the first names the first two runs that
/// differ.
std::vector<IntegrityFound> integrity(const Study&, const Experiment&);

}  // namespace kernel

#pragma once
// Computes sizes, looks and verdicts from a study's runs. It selects the runs that are evidence; inference, sizing and
// judge.h do the computing. A run counts once it has ended. Also finds runs that contradict declarations of the study;
// these findings judge no hypothesis. Pure; any thread.

#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The number of replicates of every hypothesis, from the pilot's runs.
SampleSized size_sample(const Study&);

/// The hypotheses that the next registered look decides. Throws std::out_of_range if no look is left.
InterimLook interim_look(const Study&, const Experiment&);

/// The verdicts of one experiment.
ExperimentAnalysed analyse(const Study&, const Experiment&);

/// The findings on the work of the arms (work_findings.h) and on the repeated smoke run (repeated_smoke.h), metrics
/// declared deterministic that differ between two runs of one cell (smoke, pilot or registered), and metrics of the
/// evaluator that jobs wrote themselves. One finding per contrast or metric and cause; of a metric that differs, it
/// names the first two runs that do.
std::vector<IntegrityFound> integrity(const Study&, const Experiment&);

}  // namespace kernel

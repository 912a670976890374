#pragma once
// Computes sizes, looks and verdicts from a study's runs. It selects the runs that are evidence; inference, sizing and
// judge.h do the computing. A run counts once it has ended. Pure; any thread.

#include "kernel/study/state.h"

namespace kernel {

/// The number of replicates of every hypothesis, from the pilot's runs.
SampleSized size_sample(const Study&);

/// The hypotheses that the next registered look decides. Throws std::out_of_range if no look is left.
InterimLook interim_look(const Study&, const Experiment&);

/// The verdicts of one experiment.
ExperimentAnalysed analyse(const Study&, const Experiment&);

}  // namespace kernel

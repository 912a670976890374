#pragma once
// From a study's ended runs to sizes and verdicts: picks the evidence, lets `analysis` and `sizing` compute.

#include "kernel/study/state.h"

namespace kernel {

/// Every hypothesis's replicates. A run of the pilot counts once it has ended.
SampleSized size_sample(const Study&);

/// What a registered look at an experiment decides. Throws std::out_of_range where no look is left; a run counts once
/// it has ended.
InterimLook interim_look(const Study&, const Experiment&);

/// The verdicts of one experiment. A run counts once it has ended.
ExperimentAnalysed analyse(const Study&, const Experiment&);

}  // namespace kernel

#pragma once
// From a study's ended runs to sizes and verdicts: picks the evidence, lets `analysis` and `sizing` compute.

#include "kernel/study/state.h"

namespace kernel {

/// Every hypothesis's replicates. Precondition: the pilot, if the design has one, has ended.
SampleSized size_sample(const Study&);

/// What a registered look at an experiment decides. Precondition: it is due, and all runs queued have ended.
InterimLook interim_look(const Study&, const Experiment&);

/// The verdicts of one experiment. Precondition: all its runs have ended.
ExperimentAnalysed analyse(const Study&, const Experiment&);

}  // namespace kernel

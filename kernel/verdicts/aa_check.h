#pragma once
// The control against itself: some of its runs are made twice, and what differs between the two is noise, or a fault of
// the experiment. Never evidence for a hypothesis. Pure; any thread.

#include <optional>
#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// As many replicates as the pilot, of the first cell that is a control of a hypothesis of the registration (whose
/// cells and replicates are set); none where the design fixed its size, and where every metric is deterministic.
std::optional<AaPlan> aa_plan(const Study&, const Registration&);

/// Of the primary metric, or what it is derived from: within seeds where these are paired, else as independent runs.
/// None where the registration has no plan.
std::optional<AaResult> aa_result(const Study&, const Experiment&);

/// In two sentences, with the metric's unit.
std::string aa_words(const StudySpec&, const AaResult&);

}  // namespace kernel

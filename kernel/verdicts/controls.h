#pragma once
// The control against itself: some of its runs are made twice, and what differs between the two is noise, or a fault of
// the experiment. Never evidence for a hypothesis. Pure; any thread.
// An effect that a person knows to be there, planted so that the experiment must find it: if it does not, it is blind,
// and its other verdicts are warned of that. Outside the family, and no evidence for a hypothesis.

#include <optional>
#include <string>

#include "kernel/domain/records.h"
#include "kernel/study/state.h"

namespace kernel {

/// As many replicates as the pilot, of the first cell that is a control of a hypothesis of the registration (whose
/// cells and replicates are set); none where the design fixed its size, and where every metric is deterministic.
std::optional<AaPlan> aa_plan(const StudyTerms&, const Registration&);

/// Of the primary metric, or what it is derived from: within seeds where these are paired, else as independent runs.
/// None where the registration has no plan.
std::optional<AaResult> aa_result(const Study&, const Experiment&);

/// With the metric's unit.
Reason aa_reason(const StudySpec&, const AaResult&);

/// What the planted effect is called where hypotheses have their ids.
inline constexpr const char* planted_id = "planted";

/// One or two sentences.
std::string planted_words(const HypothesisResult&, int wording);

}  // namespace kernel

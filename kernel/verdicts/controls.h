#pragma once
// Controls of an experiment. The A/A comparison runs the control twice: a difference is noise, or a fault of the
// experiment. The planted effect is one that a person knows to exist: if the experiment misses it, all its verdicts get
// a warning. Both are outside the family and never evidence. Pure; any thread.

#include <optional>
#include <string>

#include "kernel/domain/records.h"
#include "kernel/study/state.h"

namespace kernel {

/// True if the study file fixed the seeds, so that its author could know the runs before they counted. In a
/// reproduction the reader chooses.
bool author_chose_seeds(const StudySpec&);

/// At most as many replicates as the pilot, of the first cell that is a control of a registered hypothesis, else of
/// the first cell. None if the design fixed its size, or if the primary metric is deterministic. Cells and replicates
/// of the registration are set.
std::optional<AaPlan> aa_plan(const StudyTerms&, const Registration&);

/// The result for the primary metric, or for the metric that it is derived from: compared within seeds if the design is
/// paired, else as independent runs. None if the registration has no plan.
std::optional<AaResult> aa_result(const Study&, const Experiment&);

/// The result as a reason, with the metric's unit.
Reason aa_reason(const StudySpec&, const AaResult&);

/// The id of the planted effect, in the place of a hypothesis's id.
inline constexpr char planted_id[] = "planted";

/// Whether the planted effect was found, and why, in sentences.
std::string planted_words(const HypothesisResult&, int wording);

}  // namespace kernel

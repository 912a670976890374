#pragma once
// An effect that a person knows to be there, planted so that the experiment must find it: if it does not, it is blind,
// and its other verdicts are warned of that. Outside the family, and no evidence for a hypothesis.

#include <string>

#include "kernel/domain/records.h"

namespace kernel {

/// What the planted effect is called where hypotheses have their ids.
inline constexpr const char* planted_id = "planted";

/// One or two sentences.
std::string planted_words(const HypothesisResult&);

}  // namespace kernel

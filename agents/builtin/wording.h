#pragma once
// Hypotheses in words: fixed sentences around addresses, which the kernel replaces by what it recorded. No number of a
// run is among them: those stay in the evidence.

#include <string>

#include "kernel/domain/study_spec.h"

namespace agents {

/// Where the claim holds, from `where` and the factors it averages over.
std::string conditions_of(const kernel::StudySpec&, const kernel::Hypothesis&);
/// What would show the hypothesis wrong.
std::string falsification_of(const kernel::Hypothesis&);
/// The statement as a quotation with its verdict, and its mechanism or a note that it is attribution only.
std::string takeaway_of(const kernel::Hypothesis&);

}  // namespace agents

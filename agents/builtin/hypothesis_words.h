#pragma once
// Hypotheses in words: fixed sentences around addresses, which the kernel replaces by recorded values. They contain no
// number of a run.

#include <string>

#include "kernel/domain/study_spec.h"

namespace agents {

/// Where the claim holds, from `where` and the factors it averages over.
std::string conditions_of(const kernel::StudySpec&, const kernel::Hypothesis&);
/// What would refute the hypothesis.
std::string falsification_of(const kernel::Hypothesis&);
/// The statement as a quotation with its verdict, and its mechanism or a note that no mechanism was tested.
std::string takeaway_of(const kernel::Hypothesis&);

}  // namespace agents

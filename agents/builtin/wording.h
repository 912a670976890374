#pragma once
// Hypotheses in words. Words only: numbers stay in the evidence.

#include <string>

#include "kernel/study_spec.h"

namespace agents {

/// "algorithm = quick, n = 4000"; "all cells" for none.
std::string cell_words(const kernel::Cell&);
/// Where the claim holds, from `where` and the factors it averages over.
std::string conditions_of(const kernel::StudySpec&, const kernel::Hypothesis&);
/// What would show the hypothesis wrong.
std::string falsification_of(const kernel::Hypothesis&);
/// The statement with its mechanism, or with a note that it is attribution only.
std::string takeaway_of(const kernel::Hypothesis&);

}  // namespace agents

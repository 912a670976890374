#pragma once
// `hypotheses`: the list in a study file, and one of them as an agent proposes it.

#include "studyfile/draft/draft.h"

namespace studyfile {

void read_hypotheses(const Value&, Draft&);  ///< After factors, constraints and metrics.
/// Reads one hypothesis into the draft. Returns false, with problems recorded, if not all of it could be read.
bool read_hypothesis(const Value& item, Draft&);
void check_derivable(const Value& factors, Draft&);  ///< If no hypothesis is listed, whether any can be derived.

}  // namespace studyfile

#pragma once
// `hypotheses`: the list in a study file, and one of them as an agent proposes it.

#include "studyfile/draft/draft.h"

namespace studyfile {

void read_hypotheses(const Value&, Draft&);  ///< After factors, constraints and metrics.
/// One of them, added to the draft; false where it could not all be read, with problems recorded.
bool read_hypothesis(const Value& item, Draft&);
void check_derivable(const Value& factors, Draft&);  ///< With no hypothesis listed: are there any to derive?

}  // namespace studyfile

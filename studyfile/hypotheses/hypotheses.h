#pragma once
// `hypotheses`: the list in a study file, one of them as an agent proposes it, and the `test` of one: a comparison of
// two arms, how it changes along a factor, or a slope.

#include "kernel/domain/study_spec.h"
#include "studyfile/draft/draft.h"

namespace studyfile {

void read_hypotheses(const Value&, Draft&);  ///< After factors, constraints and metrics.
/// Reads one hypothesis into the draft. Returns false, with problems recorded, if not all of it could be read.
bool read_hypothesis(const Value& item, Draft&);
/// Fills `hypothesis` from `test`, and from the keys of `item` that may be next to it. Returns false, with problems
/// recorded, if not all could be read.
bool read_test(const Fields& item, const Value& test, kernel::Hypothesis& hypothesis, const Draft&);
void check_derivable(const Value& factors, Draft&);  ///< If no hypothesis is listed, whether any can be derived.

}  // namespace studyfile

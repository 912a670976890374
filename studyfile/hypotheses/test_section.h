#pragma once
// The `test` of a hypothesis: a comparison of two arms, how it changes along a factor, or a slope.

#include "kernel/domain/study_spec.h"
#include "studyfile/draft/draft.h"

namespace studyfile {

/// Fills `hypothesis` from `test`, and from the keys of `item` that may be next to it. Returns false, with problems
/// recorded, if not all could be read.
bool read_test(const Fields& item, const Value& test, kernel::Hypothesis& hypothesis, const Draft& draft);

}  // namespace studyfile

#pragma once
// The `test` of a hypothesis: a comparison of two arms, or a slope along a factor.

#include "kernel/study_spec.h"
#include "studyfile/draft.h"

namespace studyfile {

/// Fills `hypothesis` from `test`; false where it could not all be read, with problems recorded.
bool read_test(const Value& test, kernel::Hypothesis& hypothesis, const Draft& draft);

/// The keys that may stand in `test` or beside it.
bool read_analysis(const Fields& fields, kernel::Hypothesis& hypothesis, const Draft& draft);

}  // namespace studyfile

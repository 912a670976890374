#pragma once
// The levels of a factor that an interaction or a crossover compares: `along`.

#include "studyfile/draft/draft.h"

namespace studyfile {

/// Fills `along` and `steps`: `along: FACTOR` means all its levels, `along: {FACTOR: [level, level]}` these; an
/// interaction has exactly two. Returns false, with problems recorded, if it could not be read.
bool read_steps(const Fields& test, kernel::Hypothesis& hypothesis, const Draft& draft);

}  // namespace studyfile

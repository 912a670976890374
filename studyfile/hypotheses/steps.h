#pragma once
// The levels of a factor that an interaction or a crossover compares: `along`.

#include "studyfile/draft/draft.h"

namespace studyfile {

/// Fills `along` and `steps`: from `along: FACTOR` all its levels, from `along: {FACTOR: [level, level]}` these; of an
/// interaction exactly two. False where it could not be read, with problems recorded.
bool read_steps(const Fields& test, kernel::Hypothesis& hypothesis, const Draft& draft);

}  // namespace studyfile

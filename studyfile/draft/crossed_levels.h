#pragma once
// Which cells the constraints leave. Pure; knows neither YAML nor problems.

#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace studyfile {

/// Whether some choice of levels for the factors that `arms` leave open makes a cell that no constraint excludes in any
/// of the arms. Gives the benefit of the doubt where that takes more than some 10^5 steps to find out.
bool leaves_a_cell(const kernel::StudySpec& spec, const std::vector<kernel::Cell>& arms);

/// How many cells the factors outside `fixed` cross to, constraints aside; `limit` if more.
std::size_t crossed_cells(const kernel::StudySpec& spec, const kernel::Cell& fixed, std::size_t limit);

}  // namespace studyfile

#pragma once
// Which cells the constraints leave. Pure; knows neither YAML nor problems.

#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace studyfile {

/// Whether some choice of levels for the open factors of `arms` makes a cell that no constraint excludes in any arm.
/// Returns true if the answer would take more than about 10^5 steps.
bool leaves_a_cell(const kernel::StudySpec& spec, const std::vector<kernel::Cell>& arms);

/// The number of cells that the factors outside `fixed` make, ignoring constraints; `limit` if there are more.
std::size_t crossed_cells(const kernel::StudySpec& spec, const kernel::Cell& fixed, std::size_t limit);

}  // namespace studyfile

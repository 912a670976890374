#pragma once
// Which factor of an experiment is on the x axis, which tells series apart, and which gives panels. Borrows the study.
// Pure.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace artifacts {

struct CellRoles {
  const kernel::Factor* x = nullptr;       ///< Null if the axis is categorical.
  const kernel::Factor* series = nullptr;  ///< The factor of most contrasts; null for a single series.
  std::vector<const kernel::Factor*> panels{};
};

/// x is the factor of a slope of `metric`, else a numeric factor that no contrast names.
CellRoles roles_of(const kernel::StudyTerms&, const kernel::Experiment&, const std::string& metric);
/// The same without an x axis of a factor.
CellRoles roles_of_curves(const kernel::StudyTerms&, const kernel::Experiment&);

/// Its place in the study file.
std::size_t level_index(const kernel::Factor&, const std::string& level);
/// Whether all levels are finite numbers.
bool is_numeric(const kernel::Factor&);
/// Those with more than one level among the cells.
std::vector<const kernel::Factor*> varying_factors(const kernel::StudySpec&, const std::vector<kernel::Cell>& cells);
/// The name of a column that is no factor. If a factor has the wanted name (`n` is common), another one.
std::string column_beside_factors(const kernel::Study&, const std::string& column);
/// "quick, random, 500": the cell's levels of these factors.
std::string levels_text(const kernel::Cell&, const std::vector<const kernel::Factor*>&);

}  // namespace artifacts

#pragma once
// The candidates of a search: cells of levels and of values from ranges, sampled, enumerated, or near a good cell. Once
// a value of a range was tried, it is a level whose name is the text that commands receive. Pure; the same seed always
// gives the same candidates.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace kernel {

/// Every factor except the fidelity.
std::vector<const Factor*> searched_factors(const StudySpec&);

/// The baseline of every factor; with `with_fidelity`, the fidelity at its highest level.
Cell baseline_cell(const StudySpec&, bool with_fidelity);
/// The fidelity's levels, lowest first; empty without a fidelity.
std::vector<std::string> fidelity_levels(const StudySpec&);
/// True if the constraints allow the cell at every fidelity.
bool is_allowed(const StudySpec&, const Cell&);

/// Every allowed cell of the searched factors, in the order of their levels; none if there is a range, or more than
/// `most` cells.
std::optional<std::vector<Cell>> all_cells(const StudySpec&, std::size_t most);
/// `count` allowed, distinct cells outside `without`: a maximin Latin hypercube, so that levels are balanced, and
/// seeded draws in place of points that are not allowed or repeated. Fewer if there are no more.
std::vector<Cell> sampled_cells(const StudySpec&, int count, const std::set<Cell>& without, std::uint64_t seed);
/// Up to `count` allowed cells near `centre` and outside `without`: neighbouring levels (for texts, any other level),
/// and values within `reach` of each range's width on either side. Cells that are not in `seen` come first.
std::vector<Cell> cells_around(const StudySpec&, const Cell& centre, int count, double reach,
                               const std::set<Cell>& without, const std::set<Cell>& seen, std::uint64_t seed);

}  // namespace kernel

#pragma once
// The candidates of a search: cells of levels and of values from ranges, sampled, enumerated, or taken from around a
// good one. A value from a range is a level like any other once it was tried, under the text that commands receive.
// Pure; the same seed always gives the same candidates.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace kernel {

/// Every factor but that of the fidelity.
std::vector<const Factor*> searched_factors(const StudySpec&);

/// The baseline of every factor; the fidelity at its highest level where `with_fidelity`.
Cell baseline_cell(const StudySpec&, bool with_fidelity);
/// The fidelity's levels, lowest first; none without a fidelity.
std::vector<std::string> fidelity_levels(const StudySpec&);
/// Allowed by the constraints at every fidelity.
bool is_allowed(const StudySpec&, const Cell&);

/// Every allowed cell of the factors searched, in the order of their levels; none where there is a range, or more than
/// `most`.
std::optional<std::vector<Cell>> all_cells(const StudySpec&, std::size_t most);
/// `count` allowed, distinct cells, none of `without`: a maximin Latin hypercube, so that levels are balanced, and
/// seeded draws for what falls out. Fewer where there are no more.
std::vector<Cell> sampled_cells(const StudySpec&, int count, const std::set<Cell>& without, std::uint64_t seed);
/// Up to `count` allowed cells near `centre`, none of `without`: neighbouring levels (of texts: any other), and the
/// part of each range within `reach` of its width on either side. Those not in `seen` come first.
std::vector<Cell> cells_around(const StudySpec&, const Cell& centre, int count, double reach,
                               const std::set<Cell>& without, const std::set<Cell>& seen, std::uint64_t seed);

}  // namespace kernel

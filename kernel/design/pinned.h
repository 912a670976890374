#pragma once
// The seeds of registered runs: those that a reproduction takes from an earlier study, and whose they are. Pure.

#include <cstdint>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Per cell, what `Design::pinned` gives it; none where the seeds follow from the study's.
std::vector<std::vector<std::uint64_t>> pinned_for(const StudyTerms&, Purpose, const std::vector<Cell>&);

/// The seed that a registration gives this replicate (from 1) of a cell; null: none.
const std::uint64_t* registered_seed(const Registration&, std::size_t cell, int replicate);

}  // namespace kernel

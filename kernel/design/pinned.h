#pragma once
// The seeds of registered runs, also those that a reproduction takes from an earlier study. Pure.

#include <cstdint>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The seeds that `Design::pinned` gives each cell; empty if the seeds follow from the study's seed.
std::vector<std::vector<std::uint64_t>> pinned_for(const StudyTerms&, Purpose, const std::vector<Cell>&);

/// The seed that a registration gives this replicate (from 1) of a cell; null if there is none.
const std::uint64_t* registered_seed(const Registration&, std::size_t cell, int replicate);

}  // namespace kernel

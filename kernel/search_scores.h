#pragma once
// What the runs of a search came to, and the order in which that puts its candidates: by means over replicates, never
// by one number. Pure.

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/state.h"

namespace kernel {

struct CellOutcome {
  Cell cell;
  std::uint64_t seed = 0;
  std::optional<double> value;  ///< `selection_value`
};

/// Of a metric on a log scale its logarithm, so that means are geometric. None: the run has none, or failed.
std::optional<double> selection_value(const Metric&, const Run&);

/// With n, failed, mean and sd from the outcomes of their cells, those whose runs all failed last. A failed run counts
/// as the worst value of all.
std::vector<Candidate> best_first(const Metric&, std::vector<Candidate>, const std::vector<CellOutcome>&);

}  // namespace kernel

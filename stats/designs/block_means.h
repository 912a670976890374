#pragma once
// Means of treatments over blocks that do not all have every treatment. Pure; any thread.

#include <cstddef>
#include <vector>

namespace stats {

struct BlockedValue {
  std::size_t treatment = 0, block = 0;
  double value = 0;
};

/// The least-squares means of the treatments in the model treatment + block (Montgomery, "Design and Analysis of
/// Experiments", 8th ed. (2013), section 4.4.2), up to one constant for all: only differences count. The normal
/// equations are solved by alternation between treatments and blocks (Gauss–Seidel). Treatments that no chain of common
/// blocks joins keep the difference of their values. 0 for a treatment without a value.
std::vector<double> block_means(const std::vector<BlockedValue>&);

}  // namespace stats

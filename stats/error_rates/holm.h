#pragma once
// Holm's step-down correction over a batch of a family whose size was fixed before the data. Pure; any thread.

#include <span>
#include <vector>

namespace stats {

struct HolmStep {
  bool rejected = false;
  double level = 0;     ///< The level this hypothesis was tested at; where Holm stopped, for all that follow.
  double adjusted = 1;  ///< At most alpha exactly when rejected.
};

/// Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Stat. 6 (1979), at alpha·b/M for a batch
/// of b = p.size() in a family of M ≥ b (Bonferroni between the batches). Answers in the order of `p`; p in [0, 1].
std::vector<HolmStep> holm(std::span<const double> p, double alpha, int family);

}  // namespace stats

#include "kernel/search/halving.h"

#include <algorithm>

namespace kernel {

int survivors(int candidates, int eta, int top) {
  return std::min(candidates, std::max(top, (candidates + eta - 1) / eta));
}

std::vector<Rung> halving_rungs(const HalvingShape& shape) {
  std::vector<Rung> rungs;
  for (int n = shape.candidates;; n = survivors(n, shape.eta, shape.top)) {
    Rung rung;
    rung.candidates = n;
    rungs.push_back(rung);
    if (survivors(n, shape.eta, shape.top) <= shape.top) break;
  }
  const int count = static_cast<int>(rungs.size()), levels = static_cast<int>(shape.fidelities.size());
  int replicates = shape.replicates_min;
  for (int i = 0; i < count; ++i) {
    Rung& rung = rungs[static_cast<std::size_t>(i)];
    rung.replicates = replicates;
    if (levels > 0)
      rung.fidelity = shape.fidelities[static_cast<std::size_t>(std::max(0, levels - count + i))];
    else
      replicates = std::max(replicates, std::min(shape.replicates_max, replicates * shape.eta));
  }
  if (shape.refined > 0) {
    Rung rung = rungs.back();
    rung.candidates = std::min(shape.candidates, shape.top) + shape.refined;
    rung.refines = true;
    rungs.push_back(rung);
  }
  int seeds = 0;
  for (Rung& rung : rungs) {
    rung.first_seed = seeds;
    seeds += rung.replicates;
  }
  return rungs;
}

std::int64_t runs_of(const std::vector<Rung>& rungs) {
  std::int64_t runs = 0;
  for (const Rung& rung : rungs) runs += (std::int64_t{1} + rung.candidates) * rung.replicates;
  return runs;
}

}  // namespace kernel

#pragma once
// Successive halving with replicates, then a refinement around the survivors: candidates, fidelity and replicates of
// each rung. Karnin, Koren & Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013; Jamieson &
// Talwalkar, AISTATS 2016. Pure.

#include <cstdint>
#include <vector>

#include "kernel/domain/search_records.h"

namespace kernel {

struct HalvingShape {
  int candidates = 0;  ///< In the first rung.
  int top = 1;         ///< Candidates that are left at the end.
  int eta = 3;
  int replicates_min = 3;  ///< In the first rung, and in all rungs if there is a fidelity.
  int replicates_max = 20;
  std::vector<std::string> fidelities;  ///< Lowest first.
  int refined = 0;                      ///< New candidates of the refinement; 0 for no refinement.
};

/// Rungs until `top` candidates are left; each keeps one in `eta`. With fidelities, the last rungs take one level each,
/// and the very last takes the highest. Without, replicates grow by `eta` per rung up to their maximum. The refinement
/// follows, at the last rung's fidelity and replicates.
std::vector<Rung> halving_rungs(const HalvingShape&);

/// Runs that measure, including those of the baseline.
std::int64_t runs_of(const std::vector<Rung>&);

/// The number of candidates that a rung with so many keeps.
int survivors(int candidates, int eta, int top);

}  // namespace kernel

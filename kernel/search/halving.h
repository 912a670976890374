#pragma once
// Successive halving with replicates, and a refinement around what it leaves: how many candidates each rung has, at
// which fidelity and how often. Karnin, Koren & Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013;
// Jamieson & Talwalkar, AISTATS 2016. Pure.

#include <cstdint>
#include <vector>

#include "kernel/domain/search_records.h"

namespace kernel {

struct HalvingShape {
  int candidates = 0;  ///< Of the first rung.
  int top = 1;         ///< What goes on in the end.
  int eta = 3;
  int replicates_min = 3;  ///< Of the first rung, and of all with a fidelity.
  int replicates_max = 20;
  std::vector<std::string> fidelities;  ///< Lowest first.
  int refined = 0;                      ///< New candidates of the refinement; 0: there is none.
};

/// Rungs until `top` candidates are left, one in `eta` going on. With fidelities the last rungs take one level each,
/// the very last the highest; without, replicates grow by `eta` from rung to rung up to their maximum. Then the
/// refinement, at the last rung's fidelity and replicates.
std::vector<Rung> halving_rungs(const HalvingShape&);

/// Runs that measure, the baseline's included.
std::int64_t runs_of(const std::vector<Rung>&);

/// How many go on from a rung of so many.
int survivors(int candidates, int eta, int top);

}  // namespace kernel

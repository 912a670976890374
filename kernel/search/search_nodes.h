#pragma once
// A search in the exploration graph: one experiment, and the candidates or factors that it dropped as its dead ends.
// Pure.

#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The search itself; its id, parents and registration are the caller's.
Node search_node(const Study&, const SearchPlan&);
/// The node of the study's search; empty: there is none.
std::string search_node_id(const Study&);
/// What this rung drops, the best of it one by one and the rest in one.
std::vector<Node> dropped_nodes(const Study&, const RungRanked&);
/// Nothing goes on.
bool nothing_kept(const RungRanked&);

/// "full factorial", "2^(5-1) fraction of resolution V", "Latin hypercube", "successive halving"
std::string design_words(const SearchPlan&);

}  // namespace kernel

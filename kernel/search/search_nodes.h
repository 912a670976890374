#pragma once
// A search in the exploration graph: one experiment, with the candidates or factors that it dropped as dead ends. Pure.

#include <map>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The node of the search itself; the caller sets its id, parents and registration.
Node search_node(const Study&, const SearchPlan&);
/// The id of the study's search node; empty if there is none.
std::string search_node_id(const Study&);
/// The dead ends of a rung: one per dropped factor, or one per best dropped candidate and one for the rest.
std::vector<Node> dropped_nodes(const Study&, const RungRanked&);
/// A dead end that has no texts yet.
Node dead_end_node(std::vector<std::string> parents, std::string hypothesis);
/// Values of a reason that states a candidate's mean. Precondition: the candidate has a mean.
std::map<std::string, ReasonValue> mean_values(const Metric&, const Candidate&);
/// True if the rung keeps no candidate and no factor.
bool nothing_kept(const RungRanked&);

/// "full factorial", "2^(5-1) fraction of resolution V", "Latin hypercube", "successive halving"
std::string design_words(const SearchPlan&);

}  // namespace kernel

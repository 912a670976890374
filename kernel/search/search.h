#pragma once
// Screenings and optimisations: the plan, the runs of each rung, their ranking, the hypotheses that fresh runs confirm,
// and the nodes of the exploration graph, with the dropped candidates or factors as dead ends. Pure: every step is a
// function of the state, so a stopped study goes on with the same search.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Why this study cannot be searched; empty if it can. Precondition: the design has a confirmation.
Reason why_not_searchable(const StudySpec&);

/// Compares `high` with `low` of one factor. Others are at their baselines; those without a baseline are crossed.
Hypothesis contrast_of(const StudySpec&, const Factor&, const std::string& low, const std::string& high);

/// The most runs that the confirmation takes, each run of an earlier stage counted as one.
std::int64_t confirmation_runs(const StudySpec&);
/// Runs that the budget leaves for selection; none if there is no limit.
std::optional<std::int64_t> runs_for_selection(const StudySpec&);

/// The search as it would be registered. Precondition: the design has a confirmation, and `why_not_searchable` is
/// empty.
SearchPlan search_plan(const Study&, const Draw& fresh);
/// The most runs of the whole search, each run of an earlier stage counted as one.
std::int64_t runs_of(const SearchPlan&, const StudySpec&);

/// The runs of the first rung that is not queued yet, of `proposed` cells where the model proposed them already.
/// Preconditions: there is a plan, and every earlier rung is ranked. Throws std::out_of_range if all rungs were queued.
RunsQueued next_rung(const Study&, const std::vector<Cell>* proposed = nullptr);
/// True if the next rung, which the model proposes, may consist of these cells. Precondition: there is such a rung.
bool may_be_proposed(const Study&, const std::vector<Cell>&);
/// The ranking from the runs of the newest rung, with the model's estimates as `recorded` has them, or anew.
/// Precondition: a rung is queued and not ranked.
RungRanked rank_rung(const Study&, const RungRanked* recorded = nullptr);
/// The hypotheses H1, H2, … that the search confirms with fresh runs: the best candidates against the baseline, or a
/// factor's levels against one another in the direction seen. Empty before the search is done.
std::vector<Hypothesis> selected_hypotheses(const Study&);

/// True if `selected_hypotheses` has this hypothesis, whatever its statement.
bool is_selected(const Study&, const Hypothesis&);

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

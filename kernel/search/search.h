#pragma once
// Screenings and optimisations: from the study to a plan, from the plan to each rung's runs, from their values to what
// goes on, and from the last rung to the hypotheses that are confirmed on fresh runs. Pure: every step is a function of
// the state, so that a study that was stopped goes on with the same search.

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Why no search can be made of this study; empty: one can.
std::string why_not_searchable(const StudySpec&);

/// `high` against `low` of one factor, where the others stand at their baselines; those without one are crossed.
Hypothesis contrast_of(const StudySpec&, const Factor&, const std::string& low, const std::string& high);

/// Runs that the confirmation takes at most, those of earlier stages counted one for one.
std::int64_t confirmation_runs(const StudySpec&);
/// Runs that the budget leaves for selection; none: there is no limit.
std::optional<std::int64_t> runs_for_selection(const StudySpec&);

/// The search as it would be registered. Precondition: `why_not_searchable` is empty.
SearchPlan search_plan(const Study&);
/// Runs of the whole search at most, those of earlier stages counted one for one.
std::int64_t runs_of(const SearchPlan&, const StudySpec&);

/// The runs of the first rung that was not queued yet. Preconditions: a plan, and every earlier rung is ranked. Throws
/// std::out_of_range where all rungs were queued.
RunsQueued next_rung(const Study&);
/// What the runs of the newest rung say. Precondition: a rung is queued and not ranked.
RungRanked rank_rung(const Study&);
/// What the search carries into its confirmation, as H1, H2, …: fresh runs of the best candidates against the baseline,
/// or of a factor's levels against one another in the direction seen. Empty before it is done.
std::vector<Hypothesis> selected_hypotheses(const Study&);

/// What `selected_hypotheses` gives, whatever its words.
bool is_selected(const Study&, const Hypothesis&);

/// "rung 2", the label of a rung's runs.
std::string rung_label(int rung);

}  // namespace kernel

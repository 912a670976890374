#pragma once
// A search over versions of the code: what engineers are asked for next, which versions are run how often, when to
// stop, and what is carried into the confirmation. In rounds, so that what is decided depends on what was measured and
// not on who was quicker. Pure: the same log gives the same search.

#include <optional>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The cell that runs a version: it, and the baselines of all other factors.
Cell code_cell(const StudySpec&, const std::string& version);
/// Steps without a version whose line of work has not ended; none once the search is over.
std::vector<const CodeStep*> open_steps(const Study&);
/// The next round; empty: nothing is left that would be worth asking for.
std::vector<CodeStep> next_steps(const Study&);
/// Runs that are due: of the person's own, of versions that run, more of the leaders, and once the search is over of
/// the finalists. Without runs: none.
RunsQueued due_code_runs(const Study&);
/// The first run of a version that has just been written.
RunsQueued first_run(const Study&, const std::string& version);
/// All versions by their means; the best are carried forward, of those that do what is required of them.
RungRanked rank_code(const Study&);
/// Once all runs are there: the first that would be carried forward and that nobody has reviewed. Null: there is none.
const CodeVersion* to_review(const Study&);

/// Why no further round is begun: the budget is for the confirmation. Empty: one may.
std::string code_stop(const Study&, Time now);
/// The study's limits on tokens and money, less what is kept for reviewing the best, by the steps so far.
Budget limits_of_steps(const Study&);
/// On the boot clock: from when on what is left of the wall time is for the confirmation, whoever is at work.
std::optional<std::int64_t> code_until(const Study&);
/// Runs that may still be spent on selection; none: there is no limit.
std::optional<std::int64_t> code_runs_left(const Study&);

/// Its node in the exploration graph; empty: there is none.
std::string code_node_id(const Exploration&, const std::string& version);
Node code_node(const Study&, const CodeVersion&);
/// What becomes a dead end at the end: versions that are not carried forward.
std::vector<Node> code_dead_ends(const Study&, const RungRanked&);
/// The run that says best why a version fails: the newest of those that did. Null: none did.
const Run* failed_run(const Study&, const std::string& version);

}  // namespace kernel

#pragma once
// A search over versions of the code: the next steps for engineers, the runs of each version, when to stop, and which
// versions are confirmed. It works in rounds, so that results decide and not which engineer was faster. Pure: the same
// log gives the same search.

#include <optional>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Steps whose conversation has not ended; empty once the search is over.
std::vector<const CodeStep*> open_steps(const Study&);
/// The steps of the next round; empty if no step is worth asking for.
std::vector<CodeStep> next_steps(const Study&);
/// Runs that are due: of the original code, of versions that run, more of the leaders, and of the finalists once the
/// search is over. Has no runs if none are due.
RunsQueued due_code_runs(const Study&);
/// The first run of a version that has just been written.
RunsQueued first_run(const Study&, const std::string& version);
/// All versions ranked by their means; the best that meet their requirements are carried into the confirmation. Where
/// ideas are kept or discarded, a version and its base, or the last ranking once every version was decided.
RungRanked rank_code(const Study&);
/// Once all runs have ended, the first version to be carried forward that has no review yet; null if there is none.
const CodeVersion* to_review(const Study&);

/// Why no further round may begin, as the rest of the budget is kept for the confirmation; empty if one may.
Reason code_stop(const Study&, Time now);
/// The study's limits on tokens and money, less the estimated cost of reviewing the best versions.
Budget limits_of_steps(const Study&);
/// When the search must stop, on the boot clock, because the rest of the wall time is kept for the confirmation.
std::optional<std::int64_t> code_until(const Study&);
/// Runs that are left for selection; none if there is no limit.
std::optional<std::int64_t> code_runs_left(const Study&);

/// The version's node in the exploration graph; empty if there is none.
std::string code_node_id(const Exploration&, const std::string& version);
Node code_node(const Study&, const CodeVersion&);
/// The dead ends at the end of the search: versions that are not carried forward.
std::vector<Node> code_dead_ends(const Study&, const RungRanked&);
/// The newest failed run of a version, which shows best why it fails; null if none failed.
const Run* failed_run(const RunBoard&, const std::string& version);

}  // namespace kernel

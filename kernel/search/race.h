#pragma once
// The ranking of successive halving by all runs so far: what was measured of a candidate in earlier rungs counts, too.
// Seeds that candidates share are blocks, so that a candidate that joins late is compared on common seeds. Pure.

#include <set>
#include <vector>

#include "kernel/domain/search_records.h"
#include "kernel/study/search_scores.h"

namespace kernel {

/// How the rungs of successive halving are ranked and refined: as below, or, in plans of earlier programs, each rung by
/// its own runs and with near candidates only.
enum class RungRanking { all_runs, own_runs };

RungRanking ranking_of(const SearchPlan&);
/// The rule of a plan that is ranked by all runs; `best` are those that go into the confirmation.
Reason rule_of_race(const SearchPlan&, const std::string& better, const std::vector<Reason>& best);

/// The candidates with n, failed, mean and sd, best first. A failed run counts as the worst of all, seeds apart.
/// Without a mean, and last: those of which no run of the newest rung has a value. `outcomes`: all at the newest rung's
/// fidelity, without that factor; `newest`: those of the newest rung, whose mean the means keep.
std::vector<Candidate> by_all_runs(const StudySpec&, const Metric&, std::vector<Candidate>,
                                   const std::vector<CellOutcome>& outcomes, const std::vector<CellOutcome>& newest);

/// Up to `count` of the best candidates that were dropped and are not in `without`: those of later rungs first.
std::vector<Cell> best_dropped(const Search&, std::size_t count, const std::set<Cell>& without);

}  // namespace kernel

#pragma once
// The candidates of a search: cells of levels and of values from ranges, sampled, enumerated, or near a good cell. Once
// a value of a range was tried, it is a level whose name is the text that commands receive. Rungs of successive halving
// (Karnin, Koren & Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013; Jamieson & Talwalkar,
// AISTATS 2016) reduce them. Pure; the same seed always gives the same candidates.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/domain/search_records.h"
#include "kernel/domain/study_spec.h"

namespace kernel {

/// True for a range, and if every level is a number.
bool is_numeric(const Factor&);

/// Every factor except the fidelity.
std::vector<const Factor*> searched_factors(const StudySpec&);

/// The baseline of every factor; with `with_fidelity`, the fidelity at its highest level.
Cell baseline_cell(const StudySpec&, bool with_fidelity);
/// The cell that runs a version of the code: the version, and the baselines of all other factors.
Cell code_cell(const StudySpec&, const std::string& version);
/// The fidelity's levels, lowest first; empty without a fidelity.
std::vector<std::string> fidelity_levels(const StudySpec&);
/// True if the constraints allow the cell at every fidelity.
bool is_allowed(const StudySpec&, const Cell&);

/// Every allowed cell of the searched factors, in the order of their levels; none if there is a range, or more than
/// `most` cells.
std::optional<std::vector<Cell>> all_cells(const StudySpec&, std::size_t most);
/// `count` allowed, distinct cells outside `without`: a maximin Latin hypercube, so that levels are balanced, and
/// seeded draws in place of points that are not allowed or repeated. Fewer if there are no more.
std::vector<Cell> sampled_cells(const StudySpec&, int count, const std::set<Cell>& without, std::uint64_t seed);
/// Up to `count` allowed cells near `centre` and outside `without`: neighbouring levels (for texts, any other level),
/// and values within `reach` of each range's width on either side. Cells that are not in `seen` come first.
std::vector<Cell> cells_around(const StudySpec&, const Cell& centre, int count, double reach,
                               const std::set<Cell>& without, const std::set<Cell>& seen, std::uint64_t seed);

struct HalvingShape {
  int candidates = 0;  ///< In the first rung.
  int top = 1;         ///< Candidates that are left at the end.
  int eta = 3;
  int replicates_min = 3;  ///< In the first rung, and in all rungs if there is a fidelity.
  int replicates_max = 20;
  std::vector<std::string> fidelities;  ///< Lowest first.
  int refined = 0;                      ///< New candidates of the refinement; 0 for no refinement.
  bool continues = false;               ///< Runs continue those of the level before, on their seeds.
};

/// Rungs until `top` candidates are left; each keeps one in `eta`. With fidelities, the last rungs take one level each,
/// and the very last takes the highest. Without, replicates grow by `eta` per rung up to their maximum. The refinement
/// follows, at the last rung's fidelity and replicates.
std::vector<Rung> halving_rungs(const HalvingShape&);

/// True for rungs whose level of the fidelity is above that of the rung before them, whose best go on. Their runs can
/// continue that rung's runs.
bool rises(const std::vector<Rung>&, std::size_t rung);
/// Sets `first_seed` of each, so that rungs share no seeds, or, if runs continue, only those of a rung that they
/// continue.
void give_seeds(std::vector<Rung>&, bool continues = false);
/// The number of seeds that the rungs take.
int seeds_of(const std::vector<Rung>&);
/// True for rungs in which the baseline is measured: those before the first that the model proposes.
bool has_baseline(const std::vector<Rung>&, std::size_t rung);
/// Runs that measure, including those of the baseline.
std::int64_t runs_of(const std::vector<Rung>&);

/// The number of candidates that a rung with so many keeps.
int survivors(int candidates, int eta, int top);

}  // namespace kernel

#pragma once
// Turns hypotheses into runs: arms, crossed cells, seeds and order. Pure; the same inputs always give the same design.

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/domain/records.h"
#include "kernel/study/state.h"

namespace kernel {

/// The seed with this index (from 0) of a purpose, below 2^31. Smoke, pilot and registered runs have distinct seeds.
std::uint64_t seed_of(const StudySpec&, Purpose, int index);

/// The runs of one replicate of all cells, then the next replicate, so that arms are interleaved in time. `first_seed`
/// is the index of the purpose's seed for the first replicate, or for the first run if unpaired.
RunsQueued interleaved(const Study&, Purpose, std::vector<Cell>, const std::vector<int>& replicates,
                       const std::optional<AaPlan>& aa = std::nullopt, int first_seed = 0);

/// One hypothesis per non-baseline level of each factor that has a baseline: primary metric, direction `different`.
std::vector<Hypothesis> derived_hypotheses(const StudySpec&);

/// The pilot has `design.pilot` replicates in every cell of the hypotheses, interleaved.
RunsQueued pilot_runs(const Study&);
/// The reference cell, then each factor changed once and the seed changed once; each run's label names the change.
RunsQueued smoke_runs(const Study&);
/// A registration of these hypotheses with the sizes that the study chose. The caller hashes it.
Registration registration_of(const Study&, const std::vector<std::string>& hypotheses);
/// `design.warmup_runs` runs of every cell. They run before the registered runs and are never evidence.
RunsQueued warmup_runs(const Study&, const Registration&);
/// The registered runs, replicate by replicate; within each, the cells are shuffled or as listed.
RunsQueued registered_runs(const Study&, const Registration&);

/// The seeds that `Design::pinned` gives each cell; empty if the seeds follow from the study's seed.
std::vector<std::vector<std::uint64_t>> pinned_for(const StudyTerms&, Purpose, const std::vector<Cell>&);

/// The seed that a registration gives this replicate (from 1) of a cell; null if there is none.
const std::uint64_t* registered_seed(const Registration&, std::size_t cell, int replicate);

}  // namespace kernel

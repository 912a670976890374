#pragma once
// From hypotheses to runs: arms, crossed cells, seeds and order. Pure; the same inputs always give the same design.

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/domain/records.h"
#include "kernel/study/state.h"

namespace kernel {

/// The i-th seed (from 0) of a purpose; distinct streams for smoke, pilot and registered runs. Below 2^31.
std::uint64_t seed_of(const StudySpec&, Purpose, int index);

/// Replicate by replicate over the cells that still want one, so that arms are interleaved in time. `first_seed`: the
/// purpose's seed of the first replicate, or unpaired of the first run.
RunsQueued interleaved(const Study&, Purpose, std::vector<Cell>, const std::vector<int>& replicates,
                       const std::optional<AaPlan>& aa = std::nullopt, int first_seed = 0);

/// One hypothesis per non-baseline level of each factor that has a baseline: primary metric, direction `different`.
std::vector<Hypothesis> derived_hypotheses(const StudySpec&);

/// Runs of a pilot: `design.pilot` replicates in every cell of the hypotheses, interleaved.
RunsQueued pilot_runs(const Study&);
/// The reference cell, each factor flipped once, the seed flipped once; each run's label says what was flipped.
RunsQueued smoke_runs(const Study&);
/// A registration of these hypotheses with the sizes the study settled on. The caller hashes it.
Registration registration_of(const Study&, const std::vector<std::string>& hypotheses);
/// `design.warmup_runs` runs of every cell, to go before the registered ones: they count for nothing.
RunsQueued warmup_runs(const Study&, const Registration&);
/// The registered runs: replicate by replicate, the cells shuffled within each (or as listed).
RunsQueued registered_runs(const Study&, const Registration&);

}  // namespace kernel

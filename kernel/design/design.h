#pragma once
// Turns hypotheses into runs: arms, crossed cells, seeds and order, the earlier stages that runs need, which registered
// runs are due, and the manipulation check of the smoke runs. Pure; the same inputs always give the same design.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/design/seeds.h"
#include "kernel/domain/records.h"
#include "kernel/study/state.h"

namespace kernel {

/// The runs of one replicate of all cells, then the next replicate, so that arms are interleaved in time.
RunsQueued interleaved(const Study&, Purpose, std::vector<Cell>, const std::vector<int>& replicates,
                       const std::optional<AaPlan>& aa, Randomness);

/// One hypothesis per non-baseline level of each factor that has a baseline: primary metric, direction `different`.
std::vector<Hypothesis> derived_hypotheses(const StudySpec&);

/// The pilot has `design.pilot` replicates in every cell of the hypotheses, interleaved.
RunsQueued pilot_runs(const Study&, const Draw& fresh);
/// The reference cell, then each factor changed once and the seed changed once; each run's label names the change.
RunsQueued smoke_runs(const Study&, const Draw& fresh);
/// A registration of these hypotheses with the sizes that the study chose. The caller hashes it. `fresh`: new random
/// bits; not used if the code was amended before any primary value was seen, because its seeds stay.
Registration registration_of(const Study&, const std::vector<HypothesisId>& hypotheses, const Draw& fresh);
/// `design.warmup_runs` runs of every cell. They run before the registered runs and are never evidence.
RunsQueued warmup_runs(const Study&, const Registration&);
/// The registered runs, replicate by replicate; within each, the cells are shuffled or as listed.
RunsQueued registered_runs(const Study&, const Registration&);

/// The smoke run that is repeated among the registered runs (kernel/verdicts/repeated_smoke.h): one of those in a
/// registered cell, chosen by the registration's draw, since code may behave otherwise in one arm only. Null if no
/// smoke run can be repeated.
const Run* smoke_to_repeat(const Study&, const Registration&);
/// The same runs, with two repeats of that smoke run at places that follow from the draw: not first, and not next to
/// each other. Numbers all runs from the study's next number. Precondition: the runs need no others. Unchanged if no
/// smoke run is repeated.
RunsQueued with_repeats(const Study&, const Registration&, RunsQueued);

/// The seeds that `Design::pinned` gives each cell; empty if the seeds follow from the study's seed.
std::vector<std::vector<std::uint64_t>> pinned_for(const StudyTerms&, Purpose, const std::vector<Cell>&);

/// The same runs, each after the runs of earlier stages that it needs: one per stage, cell and seed, shared by all.
/// A run of an earlier stage is never evidence, and the runs that need it fail with it. Renumbers all runs from the
/// first number. Precondition: the runs measure. Unchanged without stages.
RunsQueued with_stages(const StudySpec&, RunsQueued);

/// The registered runs that are due up to the experiment's next look. A hypothesis that was decided or withdrawn needs
/// no more runs.
RunsQueued due_runs(const Study&, const Experiment&);
/// Numbers of the waiting runs that serve only this hypothesis.
std::vector<int> needless_runs(const Study&, const HypothesisRecord&);
/// The number of replicates that have been due so far, for each cell of the registration.
std::vector<int> due_replicates(const Study&, const Experiment&);

/// Judges from the smoke runs that have ended whether the factors reach the program. `with_items`: values of single
/// items count, too; earlier programs compared only what a run reports in all.
ManipulationChecked judge_manipulation(const Study&, bool with_items = true);

/// True if the usage is almost nothing compared with a run that took `usual_s` of processor time and did real work.
bool cost_nothing(const Usage&, double usual_s);

}  // namespace kernel

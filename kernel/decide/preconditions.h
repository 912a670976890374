#pragma once
// Preconditions of events. `decide` checks them before it emits an event, and audits check them for events that other
// programs may have written. Pure; command-specific rules for texts are elsewhere.

#include <optional>
#include <string>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace kernel {

/// The next step in the analysis of an experiment: a registered look, the runs after one, or the verdicts.
enum class AnalysisStep { look, runs, verdicts };
AnalysisStep next_step_of(const Experiment&);

/// The registered experiment that has neither verdicts nor a successor; null if there is none.
const Experiment* open_experiment(const Experiments&);
/// True if one more hypothesis would be beyond the family.
bool family_is_full(const Study&);
/// True if a run of the experiment reported a metric, so that its hypotheses were seen on this code.
bool values_seen(const RunBoard&, const ExperimentId& experiment);
/// Numbers of the runs that wait to start, those of the queue first.
std::vector<int> waiting_runs(const RunBoard&);

/// Why the code may not be registered: an agent wrote it, and its manipulation check has findings. A person's code may
/// be registered, because the person knows what it measures, and the findings head the report. Empty if it may.
Reason refused_code(const Study&);
/// A refusal that events can state.
Rejection rejected(const Reason&);
/// The refusal of something that belongs to another phase than the study's.
Reason belongs_to(const Study&, Phase wanted, ReasonCode what);

/// Why that actor's event cannot follow the study's current state; none if it can, or if it has no precondition.
std::optional<Rejection> cannot_follow(const Study& before, const EventBody&, const std::string& actor = "");

}  // namespace kernel

#pragma once
// What must hold before an event: one rule list for deciding, which asks before it emits, and for auditing, which asks
// of events that somebody else may have written. Pure; knows nothing of what commands demand of their words.

#include <optional>
#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// The next step that the analysis of an experiment takes: a registered look, the runs after one, or the verdicts.
enum class AnalysisStep { look, runs, verdicts };
AnalysisStep next_step_of(const Experiment&);

/// The experiment that is registered and has neither verdicts nor a successor; null: none.
const Experiment* open_experiment(const Experiments&);
/// Would one more hypothesis lie beyond the family?
bool family_is_full(const Study&);
/// Has any run of the experiment said anything of a metric? Then its hypotheses were seen on this code.
bool values_seen(const RunBoard&, const std::string& experiment);
/// The runs that wait to start, those of the queue first.
std::vector<int> waiting_runs(const RunBoard&);
/// What a claim on such a result says of its hypothesis.
std::string status_of(const HypothesisResult&);

/// Why the code may not be registered: an agent wrote it, and its manipulation check found something. A person's code
/// may, because the person knows what it measures, and the finding heads the report. Empty: it may.
std::string refused_code(const Study&);
/// That something belongs to another phase than the study's.
std::string belongs_to(const Study&, Phase wanted, const char* what);

/// Why that actor's event cannot follow what the study is at; none: it can, or no rule speaks of it.
std::optional<std::string> cannot_follow(const Study& before, const EventBody&, const std::string& actor = "");

}  // namespace kernel

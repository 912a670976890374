#pragma once
// Whether a step of the research may come where it stands in a log: what `decide` demands before it, asked of events
// that somebody else may have written. Pure.

#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// The next step that the analysis of an experiment takes: a registered look, the runs after one, or the verdicts.
enum class AnalysisStep { look, runs, verdicts };
AnalysisStep next_step_of(const Experiment&);

/// The experiment that is registered and has neither verdicts nor a successor; null: none.
const Experiment* open_experiment(const Study&);
/// Would one more hypothesis lie beyond the family?
bool family_is_full(const Study&);
/// Has any run of the experiment said anything of a metric? Then its hypotheses were seen on this code.
bool values_seen(const Study&, const std::string& experiment);

/// Why the code may not be registered: an agent wrote it, and its manipulation check found something. A person's code
/// may, for he knows what he measures, and the finding heads the report. Empty: it may.
std::string refused_code(const Study&);

/// Why the event of that actor cannot follow what the study is at; empty: it can, or nothing is known against it.
std::string out_of_turn(const Study& before, const EventBody&, const std::string& actor = "");

}  // namespace kernel

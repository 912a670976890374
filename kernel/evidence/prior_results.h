#pragma once
// Earlier results on the same contrast: repeated dead ends are refused, and reports count earlier attempts. Pure.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Hex hash of code and conditions: workspace, commands, environment variables, constants and identities of data.
std::string context_key(const StudySpec&, const WorkspaceRecord&, const std::vector<DataRecord>&);
/// Hex hash of the commands only, without code and data.
std::string command_key(const StudySpec&);
/// Hex hash of a contrast: metric, kind, arms and `where`. Direction, margin and the metric's source, summary and
/// labels are left out, because changing them until the result fits is a repeated attempt.
std::string contrast_key(const Hypothesis&);

/// Identifies what the arms run and how the metric is read, whatever factors, levels and metric are called. Empty if
/// the command does not tell the arms apart.
std::string runs_key(const StudySpec&, const Hypothesis&);

/// The study's predecessors that tested this contrast, on any code, oldest first.
std::vector<Predecessor> predecessors_of(const StudyTerms&, const Hypothesis&);

/// The last of these tests of one contrast, if none of them was supported; else null.
const Predecessor* last_unsupported(const std::vector<Predecessor>&);

/// Why an agent's proposal is refused before it costs anything: it repeats a dead end (refuted or inconclusive, of this
/// home or of the extended artifact) and does not say what is different. Empty if it may be tried. A person's
/// hypotheses, and those derived from a person's factors, are always allowed.
Reason repeats_dead_end(const Study&, const Hypothesis&);

}  // namespace kernel

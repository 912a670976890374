#pragma once
// What earlier studies of the same home found on the same question: who repeats a dead end knows it, and a report says
// how often a thing was tried. Pure; any thread.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// Of code and conditions: workspace, commands, environment variables, constants and data by their identities. Hex.
std::string context_key(const StudySpec&, const WorkspaceRecord&, const std::vector<DataRecord>&);
/// Of the commands alone, whatever the code and the data. Hex.
std::string kin_key(const StudySpec&);
/// Of what is compared with what: metric, kind, arms and where, but neither direction nor margin, nor how the metric is
/// measured, summarised and labelled: who changes that until it suits has tried before. Hex.
std::string contrast_key(const Hypothesis&);

/// Those of the study's predecessors that tested this contrast, on whatever code, oldest first.
std::vector<Predecessor> predecessors_of(const Study&, const Hypothesis&);

/// Of the tests of one contrast by an artifact that is extended: the last, where none of them supported anything; else
/// null.
const Predecessor* tested_in_vain(const std::vector<Predecessor>&);

/// Why an agent's proposal is stopped before it costs anything: it repeats a dead end (a refuted or undecided one, of
/// this home or of the artifact that is extended) and does not say what is different. Empty: it may be tried. A
/// person's hypotheses, and those derived from his factors, may always be.
std::string repeats_dead_end(const Study&, const Hypothesis&);

}  // namespace kernel

#pragma once
// The facts that a text about a study may use: its names, its constants, and what its verdicts license. Pure; any
// thread.

#include "kernel/study/state.h"
#include "prose/facts.h"

namespace kernel {

prose::Facts facts_of(const Study&);

/// Adds the margins and effects of a hypothesis that the study may not have yet.
void add_constants(prose::Facts&, const StudySpec&, const Hypothesis&);

}  // namespace kernel

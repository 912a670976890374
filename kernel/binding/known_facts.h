#pragma once
// What a text about a study may rest on: its names, the constants of its study file, and what its verdicts license.
// Pure; any thread.

#include "kernel/study/state.h"
#include "prose/facts.h"

namespace kernel {

prose::Facts facts_of(const Study&);

/// The margins and effects that a hypothesis fixes, before the study has it.
void add_constants(prose::Facts&, const StudySpec&, const Hypothesis&);

}  // namespace kernel

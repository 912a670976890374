#pragma once
// Compares an agent's code with the code of a person that it amended. Both run on the same seeds, at settings of which
// the findings that the change mends say nothing: the original twice, the amended code once. Where the original repeats
// itself, every difference is a change of what is computed. Pure; any thread.

#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// How often runs are queued: the original, the amended code, the original again.
inline constexpr int comparison_parts = 3;

/// The serious findings on the newest code that a person wrote.
std::vector<CheckFinding> findings_to_mend(const Study&);

/// Why the code of the study's amendment cannot be compared; empty if it can. Precondition: a comparison is due.
Reason not_comparable(const Study&);

/// A part of the comparison, counted from 0, that was not queued yet: one run per setting, and in all parts at most
/// twice as many as the manipulation check had. Precondition: the code can be compared.
RunsQueued comparison_runs(const Study&, int part, const Draw& fresh);

/// Judges from the runs that have ended. Precondition: a comparison is due.
CodeCompared judge_comparison(const Study&);

/// The result in sentences, each of which follows another one.
std::vector<Reason> compared_words(const CodeCompared&);

/// The kernel's requirement that the change does only what it is for, and moves only what the comparison found.
StudyRequirement requirement_on_change(const Study&, const CodeCompared&);

}  // namespace kernel

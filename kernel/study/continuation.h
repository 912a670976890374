#pragma once
// Runs of a search that continue the run of the same setting at the fidelity's level before (Fidelity::continues),
// instead of beginning anew. Pure.

#include "kernel/study/state.h"

namespace kernel {

/// The name of KeptOutput for what a run leaves to be continued.
inline constexpr char left_to_continue[] = "continue";

bool has_continued_runs(const StudySpec&);
/// True if the run must leave the files of Fidelity::continues: those of a search below the highest level, and all
/// smoke runs, so that a program that leaves none is noticed before the search.
bool must_leave_files(const Study&, const Run&);
/// The newest run of the search, in this cell and of this replicate, that another run can continue: it succeeded on the
/// present code, left its files, and no other run continues it. Null if there is none. `cell`: with its level of the
/// fidelity.
const Run* run_to_continue(const Study&, const Cell& cell, int replicate);
/// What the run that this one continues has left for it; empty if it continues none.
std::vector<const KeptOutput*> continued_by(const RunBoard&, const Run&);

}  // namespace kernel

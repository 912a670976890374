#pragma once
// What is told of a running study on a terminal, in a few lines that are drawn again as it goes on. Pure; shows no
// value of a registered run.

#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace cli {

/// Stage, progress and time left; what is used of the budget; the runs that are running; the last value of a scratch
/// run or a search; warnings. Lines without content are left out.
std::vector<std::string> status_lines(const kernel::Study&);

/// Progress of the present runs: smoke, pilot, search or registered.
struct Progress {
  std::string what;
  int done = 0, all = 0;  ///< 0 if no runs are counted in this phase.
};
Progress progress_of(const kernel::Study&);
/// " · 2 failed": the runs that ended badly, by their state.
std::string bad_runs(const kernel::RunBoard&);
/// " · about 8 s left"; empty if it is not known.
std::string left_words(const kernel::Study&);

}  // namespace cli

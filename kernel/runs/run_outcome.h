#pragma once
// What an ended job means: the run's typed state, and the attempt that follows where one does.

#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace kernel {

/// The exit status by which a job asks to be tried again, and how often it is.
inline constexpr int retry_exit = 75;
inline constexpr int most_retries = 2;
/// A run whose job vanished is our fault and runs again with the same seed, but not for ever. For what
/// a full disk took there is no such end: somebody makes room in between.
inline constexpr int most_losses = 5;
/// So many failures of one kind in a row stop an arm.
inline constexpr int most_alike = 3;

/// The events of one report, which is of the present launch. Precondition: the run is live.
std::vector<EventBody> judge_run(const Study&, const Run&, const ReportEnd&);

}  // namespace kernel

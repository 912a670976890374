#pragma once
// Turns the end of a job into the run's state, ends the runs that wait for it, and plans the next attempt. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace kernel {

/// The exit status with which a job asks for a retry, and the most such retries.
inline constexpr int retry_exit = 75;
inline constexpr int most_retries = 2;
/// A run whose job vanished runs again with the same seed, but only this often. After a full disk there
/// is no limit, because a person frees space between attempts.
inline constexpr int most_losses = 5;
/// This many failures of one kind in a row stop an arm.
inline constexpr int most_alike = 3;

/// Equal for failures of one cause: how the job ended, and its last line on stderr with every number replaced by `#`,
/// or the reason of a failed measurement in the same form. At most one line, for display and comparison.
std::string fingerprint(const JobOutcome&, const Measurement&, std::string_view err);
/// The last three lines that are not blank, joined by " | ", at most 160 bytes of each; without escape sequences and
/// control characters.
std::string last_lines(std::string_view err);

/// The reason why a run failed with, if the last lines name an ignored file as missing, a sentence that says so.
Reason with_left_out_file(Reason, const IgnoredFiles&, std::string_view last_lines);

/// Ends of all runs that wait for a run which ended for good in this state. Empty if it succeeded.
std::vector<RunEnded> ends_of_dependants(const Study&, const Run&, RunState, const Reason&);

/// The events for the report of the present launch. Precondition: the run is live.
std::vector<EventBody> judge_run(const Study&, const Run&, const ReportEnd&);

}  // namespace kernel

#pragma once
// Numbers in what a program printed, as metrics that a study could read. A guess from the text alone, for a person to
// confirm. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace session {

/// Lines for `metrics:`, at most `most`, with the value that the pattern reads, such as
/// `time: {goal: minimize, unit: ms, from: {stdout: '\btime +([-+0-9.einfa]+)'}}`: numbers after a word (`loss=0.5`,
/// `val loss 0.5`) of the last lines first, then numbers before a unit of time or rate. Of repeated ones the last
/// counts.
struct PrintedNumber {
  std::string line, value;
};
std::vector<PrintedNumber> printed_numbers(std::string_view text, std::size_t most = 4);

}  // namespace session

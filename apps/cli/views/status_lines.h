#pragma once
// What is told of a running study on a terminal, in a few lines that are drawn again as it goes on. Pure; shows no
// value of a registered run.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/session/watch/newest_value.h"
#include "kernel/study/state.h"

namespace cli {

/// A running run whose values may be seen: of a search, or scratch.
struct OpenRun {
  std::string study;
  kernel::LaunchToken launch;
  std::string metric, unit;
};

/// The status at an event. Between events its time goes on, and open runs report values.
struct LiveStatus {
  std::string head;              ///< The first line up to its time.
  std::optional<double> left_s;  ///< Time left; none if it is not known.
  bool more_left = false;        ///< And some that is not known.
  double wall_s = 0;
  bool time_goes_on = false;
  struct Line {
    std::string text;
    std::optional<OpenRun> run{};
  };
  std::vector<Line> lines;  ///< Below the first.
};

/// Stage, progress and time left; the runs that are running; the last value of a scratch run or a search that has
/// ended; what is used of the budget; warnings. Lines without content are left out.
LiveStatus status_of(const kernel::Study&);
/// Gives the newest value that an open run has reported.
using ReadNewest = std::function<std::optional<session::NewestValue>(const OpenRun&)>;
/// The lines `later_s` after the event.
std::vector<std::string> status_lines(const LiveStatus&, double later_s = 0, const ReadNewest& = nullptr);

/// Progress of the present runs: smoke, pilot, search or registered.
struct Progress {
  std::string what;
  int done = 0, all = 0;  ///< 0 if no runs are counted in this phase. `all` has the runs that a search or later looks
                          ///< will add, at most.
  bool open = false;      ///< Whether more runs will come whose number is not known.
};
Progress progress_of(const kernel::Study&);
/// " · 2 failed": the runs that ended badly, by their state.
std::string bad_runs(const kernel::RunBoard&);
/// " · about 8 s left"; empty if it is not known.
std::string left_words(const kernel::Study&);

}  // namespace cli

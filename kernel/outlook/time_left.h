#pragma once
// How long the runs of a running study still take, from its own runs that ended. Pure; the cost does not grow with the
// number of runs, since it is part of what is stored at every commit.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kernel/outlook/prediction.h"
#include "kernel/study/state.h"

namespace kernel {

/// What the newest ended runs of a study took, at most 256 of them.
class EndedTimes {
 public:
  explicit EndedTimes(const Study&);

  struct Guess {
    double seconds = 0;
    int runs = 0;  ///< 0: no run of this cell ended, and it is the mean of all cells.
  };
  Guess of(const Run&) const;
  /// The same; none if no run has ended.
  std::optional<double> expected_s(const Run&) const;

  int runs() const { return runs_; }
  double gap_s() const { return gap_s_; }    ///< `gap_between_jobs`
  double mean_s() const { return mean_s_; }  ///< Of the cells.
  /// Standard deviation from run to run as a share of the cell's mean.
  double scatter() const { return scatter_; }

 private:
  struct Group {
    int runs = 0;
    double seconds = 0, squares = 0;
  };
  std::map<std::pair<int, std::string>, Group> groups_;  ///< By cell and stage.
  int runs_ = 0;
  double gap_s_ = 0, mean_s_ = 0, scatter_ = 0;
};

struct TimeLeft {
  /// Runs that have not ended: those that wait or run, and those that the design adds later. They differ where their
  /// number is not fixed yet.
  std::int64_t least_runs = 0, most_runs = 0;
  bool open = false;               ///< Whether more runs will come whose number is not known at all.
  std::optional<Expected> wall_s;  ///< With all of the study's `-j` places; none before the first run has ended.
  std::optional<double> gpu_hours;
  int from = 0;  ///< The number of ended runs that this rests on: the newest ones.
};

/// None if no run is left, or if the study does not run by itself.
std::optional<TimeLeft> time_left(const Study&);

}  // namespace kernel

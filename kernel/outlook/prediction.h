#pragma once
// How long planned runs will take in all, with an interval, from what earlier runs took. Pure: the random numbers of
// the interval follow from a fixed seed, so the same inputs always give the same numbers.

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernel/outlook/duration_model.h"
#include "kernel/outlook/schedule.h"

namespace kernel {

/// What a prediction rests on.
struct TimeBasis {
  int runs = 0;                   ///< Runs of studies.
  int tries = 0;                  ///< Runs of `etude try`.
  std::set<std::string> studies;  ///< Ids of the studies with these runs.
  bool same_code = true;          ///< Whether they ran the code that will run.
  int cells = 0, guessed = 0;     ///< Cells of the plan, and those of them that no run shows.
};

/// "from 403 runs of studies (s1, s2), all on this code", with what is missing.
std::string basis_words(const TimeBasis&);

/// A value with its 90 % interval.
struct Expected {
  double value = 0, low = 0, high = 0;
};
inline constexpr double prediction_level = 0.9;
/// What the interval holds and what it does not.
inline constexpr const char* prediction_words =
    "90 % interval: the scatter of runs, the uncertainty of their means and the number of runs that is not fixed yet; "
    "not a machine that is busier than then";

struct Prediction {
  Expected wall_s;
  Expected run_s;  ///< Sum over the runs.
  Expected gpu_hours;
  std::optional<double> joules;  ///< None if no earlier run had energy counters.
  RunSchedule timeline;          ///< Of the most runs that the plan allows, each taking its mean.
};

/// Draws the times of all runs many times: the mean of each kind of runs from its uncertainty, each run from its
/// scatter around it, and one factor for all of how much studies differ. `least` and `most`: the plan with the fewest
/// and with the most runs. None if a run needs more GPUs than the pool has. Precondition: the model has runs.
std::optional<Prediction> predicted(const PlannedWork& least, const PlannedWork& most, const DurationModel&,
                                    const RunPool&, double gap_s);

/// Sets `cells` and `guessed`.
void count_cells(TimeBasis&, const PlannedWork&, const DurationModel&);

/// The sizes 1, 2, 4, … below `most`, and `most`.
std::vector<int> pool_sizes(int most);

}  // namespace kernel

#pragma once
// Runs that are planned, and when they would run on a number of places and GPUs: the order of the kernel's own queue,
// in which no run overtakes another. Pure.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/domain/event.h"
#include "kernel/domain/study_spec.h"

namespace kernel {

/// The runs of a study in their order. A part starts when all runs before it have ended.
struct PlannedWork {
  /// Runs of one kind take equally long.
  struct Kind {
    std::string stage;
    Cell cell;
    int gpus = 0;
    std::optional<int> gpu_share{};  ///< Resources::gpu_share
  };
  struct Item {
    int kind = 0;            ///< Index into `kinds`.
    int part = 0;            ///< Index into `parts`.
    std::vector<int> needs;  ///< Indexes of runs that must have ended.
  };
  std::vector<std::string> parts;
  std::vector<Kind> kinds;
  std::vector<Item> runs;

  /// Adds runs to the newest part if it has this name, or else as a new part.
  void add(const std::string& part, const RunsQueued&, const StudySpec&);
  /// The same for `count` runs of one kind.
  void add(const std::string& part, const Kind&, std::int64_t count);

 private:
  int index_of_part(const std::string&);
};

struct RunPool {
  int jobs = 1;  ///< Runs at once.
  int gpus = 0;
};

struct ScheduledRun {
  double from_s = 0, to_s = 0;
  int part = 0;
  std::vector<int> places;  ///< GPUs; of a run without any the place, counted from 0 in both cases.
};

struct RunSchedule {
  double makespan_s = 0;
  double gpu_s = 0;                ///< Sum over runs of GPUs times time.
  std::vector<ScheduledRun> runs;  ///< In the order of `PlannedWork::runs`.
};

/// `seconds`: of each run. `gap_s`: how long a place stays empty before each run. None if a run needs more GPUs than
/// the pool has.
std::optional<RunSchedule> scheduled(const PlannedWork&, std::span<const double> seconds, const RunPool&, double gap_s);

}  // namespace kernel

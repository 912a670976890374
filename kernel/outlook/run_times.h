#pragma once
// What ended runs took: the observations that predictions rest on. Plain values; the state or the store fills them in.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace kernel {

struct RunTime {
  std::string study;
  std::string part;   ///< The runs of one part of a study follow one another without waiting for a decision.
  std::string stage;  ///< An earlier stage's name; empty if the run measures.
  Cell cell;
  std::int64_t started_ms = 0, ended_ms = 0;  ///< Of its job, wall clock.
  int jobs = 1;                               ///< Runs at once of its study.
  int gpus = 0;
  std::optional<double> joules;  ///< None without counters.

  double seconds() const { return static_cast<double>(ended_ms - started_ms) / 1000; }
};

/// Mean seconds from the end of a job to the start of the next one in its place: the kernel's own work and that of the
/// supervisor. 0 if no place was taken twice. Waits above `longest_gap_s`, as of a pause, are left out.
double gap_between_jobs(std::span<const RunTime>);
inline constexpr double longest_gap_s = 2;

/// The same of the runs of one part.
struct GapSum {
  double seconds = 0;
  std::int64_t count = 0;

  void add(std::vector<std::int64_t> starts_ms, std::vector<std::int64_t> ends_ms, int jobs);
  double mean() const { return count == 0 ? 0 : seconds / static_cast<double>(count); }
};

}  // namespace kernel

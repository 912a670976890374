#pragma once
// Runs that took a given time.

#include <cmath>
#include <string>
#include <utility>

#include "kernel/outlook/run_times.h"

inline kernel::RunTime timed(kernel::Cell cell, double seconds, std::string study = "s1") {
  kernel::RunTime run;
  run.study = std::move(study);
  run.cell = std::move(cell);
  run.started_ms = 1'000'000;
  run.ended_ms = run.started_ms + std::lround(seconds * 1000);
  return run;
}

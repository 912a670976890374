#pragma once
// The memory that a run is expected to take, from runs of the same code that succeeded, in this study and in earlier
// ones. Pure.

#include <cstdint>
#include <deque>
#include <optional>

#include "kernel/study/state.h"

namespace kernel {

/// What forecasts add to what was seen.
inline constexpr double forecast_margin = 1.1;

struct MemoryForecast {
  std::int64_t bytes = 0;      ///< Of its processes together; 0 if it is not known.
  std::int64_t gpu_bytes = 0;  ///< Of one of its devices; 0 if it is not known.
  int settings = 0;            ///< Cells that it is made from; 1: the run's own.
};

/// The highest peak of the run's own cell; else a line by least squares through the peaks of at least three cells that
/// differ from it in one numeric factor, of several such factors the one with most cells. Both with the margin. Where
/// the study has run a cell itself, earlier studies do not count for it. None without either, or for a run that does
/// not use the study's command.
std::optional<MemoryForecast> memory_forecast(const Study&, const Run&);

/// How good forecasts were, with their margin.
struct ForecastErrors {
  int runs = 0;
  int exceeded = 0;         ///< Runs that took more.
  double median_error = 0;  ///< Of |forecast − peak| / peak.
  MemoryOutcome newest;
};

/// None without such outcomes.
std::optional<ForecastErrors> forecast_errors(const std::deque<MemoryOutcome>&, bool on_device);

}  // namespace kernel

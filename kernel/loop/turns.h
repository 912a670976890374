#pragma once
// The order in which studies get free resources: the one place that compares them. Pure.

#include <cstdint>
#include <optional>
#include <string>

namespace kernel {

/// A study with a run to start, and what decides when its turn comes.
struct Turn {
  std::string study;
  std::int64_t waiting_since_ms = 0;  ///< Boot clock: since when its next run waits.
  bool aged = false;                  ///< Whether that is longer than `ageing_ms`.
  std::size_t gpus = 0;               ///< Held by its live runs.
  std::int64_t cpus = 0;
  std::optional<double> expected_s;  ///< How long its next run is expected to take; none if nothing is known.
  std::int64_t urgency = 0;          ///< See `urgency_of`.
};

/// A run that has waited this long counts as one priority higher, so that no priority starves another.
inline constexpr std::int64_t priority_step_ms = 600'000;

/// The study's priority, and one for each `priority_step_ms` that its next run has waited.
std::int64_t urgency_of(int priority, std::int64_t waited_ms);

/// True if `a` gets the next lease before `b`. First the more urgent. Of equals, first those that have waited too long,
/// the longest first, so that no study starves. Then fair share: the study that holds fewer GPUs, then fewer CPUs. Then
/// the shortest expected run; an unknown one counts as short, since it tells how long they are. Last the study that was
/// opened first.
bool goes_before(const Turn& a, const Turn& b);

}  // namespace kernel

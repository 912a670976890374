#pragma once
// How far apart the censored times of two arms lie: rank tests at any shift and ratio, and the estimates and intervals
// that follow by inverting them. Pure; any thread.

#include <optional>
#include <span>

#include "stats/basics/contrast.h"
#include "stats/basics/one_sided.h"
#include "stats/ranks/censored.h"

namespace stats {

/// Two arms; if `paired`, the two of a pair have the same index.
struct TimedArms {
  std::span<const Duration> treatment, control;
  bool paired = true;
};

/// `paired_gehan` or `gehan` of t against ratio·c + shift; ratio > 0. Away from equality both arms are censored at the
/// earliest point up to which both are observed, given one limit for all (the smallest censored time). Otherwise late
/// censoring in one arm and early censoring in the other would look like a difference. None as in those tests.
std::optional<OneSided> censored_p(const TimedArms&, double ratio = 1, double shift = 0);

/// The difference of the arms: the value at which the test changes sides. If `open`, censoring leaves it unbounded on
/// one side, and `estimate` is its other end.
struct CensoredEffect {
  double estimate = 0;
  bool open = false;
  Interval interval;  ///< Without an end where nothing bounds it.
};
/// A shift of all times, at a two-sided level in (0, 1): Wei & Gail, "Nonparametric estimation for a scale-change with
/// censored observations", J. Am. Stat. Assoc. 78 (1983), on the scale of the times. Without censoring and pairs it is
/// Hodges & Lehmann's. O(log n) tests. None where an arm is empty or a time is not finite.
std::optional<CensoredEffect> censored_shift(const TimedArms&, double level);
/// The same of a factor on all times; also none unless every time is above 0.
std::optional<CensoredEffect> censored_ratio(const TimedArms&, double level);

}  // namespace stats

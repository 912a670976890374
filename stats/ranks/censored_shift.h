#pragma once
// How far apart two arms' times lie when some were cut off: rank tests at any shift and ratio, and the estimates and
// intervals that inverting them gives. Pure; any thread.

#include <optional>
#include <span>

#include "stats/basics/contrast.h"
#include "stats/basics/one_sided.h"
#include "stats/ranks/censored.h"

namespace stats {

/// Two arms; where `paired`, pairs stand at the same place of both.
struct TimedArms {
  std::span<const Duration> treatment, control;
  bool paired = true;
};

/// `paired_gehan` or `gehan` of t against ratio·c + shift; ratio > 0. Away from equality both arms are cut off at the
/// earliest point up to which both can be seen there, given one limit for all (the smallest time that was cut off):
/// else what was cut off late in one arm and early in the other would count as a difference. None as of those tests.
std::optional<OneSided> censored_p(const TimedArms&, double ratio = 1, double shift = 0);

/// What is between the arms: the value at which the test turns from one side to the other. `open`: the times cut off
/// leave it unbounded on one side, and `estimate` is its other end.
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

#pragma once
// Student's t on paired units, valid at every number of units at once: a study may look after each pair and stop at
// any time. Only contrasts whose `df` is the number of units less one. Pure; any thread.
//
// The test is a likelihood ratio of the t statistics: under the alternative, the effect in standard deviations is half
// normal, with scale 1, on the side in question. With the right Haar measure on the standard deviation it is a
// martingale at the boundary (Lai, "On confidence sequences", Ann. Stat. 4 (1976); Hendriksen, de Heide & Grünwald,
// "Optional stopping with Bayes factors", Bayesian Anal. 16 (2021)), so by Ville's inequality 1/ratio is a valid
// p-value at every stopping time.

#include "stats/basics/contrast.h"

namespace stats {

/// `less`: p of "the truth is ≥ 0" against "< 0"; `greater` the other way. Without variance: as in contrast.h.
OneSided anytime_p(const Contrast&);

/// The confidence sequence's interval at this number of units: the truths that neither p rejects at (1 − level)/2.
/// No ends if so few units cannot reject any truth. 0 < level < 1.
Interval anytime_interval(const Contrast&, double level);

/// The one-sided level at which Student's t has the same boundary at this number of units; 0 if it has none.
/// 0 < level < ½, `df` ≥ 1.
double nominal_anytime_level(double level, double df);

}  // namespace stats

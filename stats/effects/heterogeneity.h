#pragma once
// How the same effect differs between settings: random effects over independent estimates with known errors, as in a
// meta-analysis. Pure; any thread.

#include <optional>
#include <span>

#include "stats/basics/contrast.h"

namespace stats {

struct EffectAt {
  double effect = 0;
  double error = 0;  ///< Its standard error.
};

struct RandomEffects {
  double q = 0;        ///< Cochran's Q.
  double i2 = 0;       ///< Share of the variance that chance does not explain: max(0, 1 − (k − 1)/Q).
  double tau2 = 0;     ///< Variance of the true effects between settings; 0 where the estimate is negative.
  double mean = 0;     ///< Of the true effects.
  double error = 0;    ///< Standard error of `mean`.
  Interval predicted;  ///< Of the true effect in a new setting; without ends below three settings.
};

/// tau² by the method of moments: DerSimonian & Laird, "Meta-analysis in clinical trials", Control. Clin. Trials 7
/// (1986). I²: Higgins & Thompson, "Quantifying heterogeneity in a meta-analysis", Stat. Med. 21 (2002). Prediction
/// with k − 2 degrees of freedom: Higgins, Thompson & Spiegelhalter, "A re-evaluation of random-effects meta-analysis",
/// J. R. Stat. Soc. A 172 (2009). None unless there are two settings, and every error is positive and finite.
std::optional<RandomEffects> random_effects(std::span<const EffectAt>, double level);

}  // namespace stats

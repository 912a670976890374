#pragma once
// Proportions: exact tests, and intervals made of Wilson's scores for the difference of two, independent or paired.
// Pure; any thread.

#include <cstdint>
#include <optional>

#include "stats/basics/contrast.h"

namespace stats {

/// `successes` of `n`; 0 ≤ successes ≤ n.
struct Share {
  std::int64_t successes = 0, n = 0;
};

/// Units that were seen under both: how many succeeded under both, the treatment only, the control only, neither.
struct PairedShares {
  std::int64_t both = 0, treatment = 0, control = 0, neither = 0;
};

/// Wilson's score interval of one proportion (J. Am. Stat. Assoc. 22 (1927)), within [0, 1]. Precondition: n ≥ 1 and
/// 0 < level < 1.
Interval share_interval(const Share&, double level);

struct ShareTest {
  OneSided p;
  double two_sided = 1;
};
/// Fisher, "Statistical methods for research workers", 5th ed. (1934), §21.02, given both margins; two-sided: all
/// tables no more probable than this one (to 1e-7, as R and SciPy do). None unless both n ≥ 1.
std::optional<ShareTest> fisher_exact(const Share& treatment, const Share& control);
/// McNemar's test in its exact form: the discordant pairs are fair coins. Two-sided: twice the smaller. Without
/// discordant pairs all are 1. None without pairs.
std::optional<ShareTest> mcnemar_exact(const PairedShares&);

/// A difference of proportions, treatment − control, with Wilson's scores (J. Am. Stat. Assoc. 22 (1927)) squared and
/// added: Newcombe, "Interval estimation for the difference between independent proportions", Stat. Med. 17 (1998) 873,
/// method 10; paired: Newcombe, "Improved confidence intervals for the difference between binomial proportions based on
/// paired data", Stat. Med. 17 (1998) 2635, method 10 (a correlation φ, whose numerator ad − bc is lowered by n/2 where
/// positive, not below 0).
struct ShareDifference {
  Share treatment, control;
  double phi = 0;  ///< 0 for independent ones.
  double estimate = 0;
  double ratio = 1;  ///< Of treatment − ratio·control; see `share_contrast`.
};
/// The same of treatment − ratio·control, ratio > 0, with the control's reach times the ratio: Zou & Donner,
/// "Construction of confidence limits about effect measures: a general approach", Stat. Med. 27 (2008).
ShareDifference share_contrast(ShareDifference, double ratio);
/// Of treatment / control: the ratios at which the contrast's interval ends at 0. Without an upper end where the
/// control's share may be 0, and without ends where no unit of either succeeded.
Interval share_ratio_interval(const ShareDifference&, double level);
/// None unless both n ≥ 1.
std::optional<ShareDifference> share_difference(const Share& treatment, const Share& control);
std::optional<ShareDifference> share_difference(const PairedShares&);

/// 0 < level < 1. Both ends are in [−ratio, 1].
Interval interval(const ShareDifference&, double level);
/// p of "the difference is ≥ `at`" against "< `at`", by inverting the interval: the one-sided level at which its end is
/// `at`. So the two p-values add up to 1, and an interval at 1 − 2p ends at `at`. 0 if no level reaches it.
double p_less(const ShareDifference&, double at = 0);
double p_greater(const ShareDifference&, double at = 0);

/// A one-sided question about two proportions: is treatment − ratio·control less (or greater) than `shift`?
struct ShareQuestion {
  double ratio = 1, shift = 0;
  bool less = true;
  double alpha = 0.05;
};
/// The probability that Newcombe's p and, against equality itself, the exact test's are both at most alpha, if these
/// are the true proportions: all outcomes are listed. Of pairs, treatment and control are taken as independent, and the
/// pairs that agree as split in their expected shares. Above 100 units, the treatment's outcomes that are decided for
/// one of the control are taken to have no gaps. 1 ≤ n ≤ 2000 units of either arm.
double share_power(double treatment, double control, const ShareQuestion&, int n, bool paired);

}  // namespace stats

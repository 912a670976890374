#pragma once
// How far each value of a sample lies from its median, by a measure that outliers hardly move. It labels values and
// decides nothing. Pure; any thread.

#include <optional>
#include <span>
#include <vector>

namespace stats {

/// Beyond this a value is labelled an outlier: Iglewicz & Hoaglin, "How to detect and handle outliers" (1993), §3.3.
inline constexpr double far_out = 3.5;

/// Modified z-scores, in the order of the values: 0.6745 (x − median)/MAD, MAD being the median absolute deviation from
/// the median; where that is 0, (x − median)/(1.253314 MeanAD) with the mean absolute deviation (ibid.). None where
/// nothing varies, without values, and where one is not finite.
std::optional<std::vector<double>> modified_z_scores(std::span<const double>);

}  // namespace stats

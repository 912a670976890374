#pragma once
// How likely independent values agree exactly by chance, from the resolution with which they were reported: counts and
// shares collide, measured numbers with many digits do not. Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stats {

/// The step between neighbouring values that the data allow: the coarsest 1/N or multiple of it (N to 100,000) that all
/// values are multiples of within the rounding of their decimals, so that k/3000 is recognised also with six decimals;
/// else one unit of the last decimal. 0 without two different finite values.
double resolution(std::span<const double>);

/// The chance that independent values with this standard deviation, reported in steps of `step`, have at least `pairs`
/// equal pairs among `n` values. One pair is equal with probability step·∫f² = step/(2·sd·√π) for a normal density f;
/// the number of equal pairs among n(n − 1)/2 is nearly Poisson (Diaconis & Mosteller, "Methods for studying
/// coincidences", J. Am. Stat. Assoc. 84 (1989), §7.1). 1 for `pairs` 0. step > 0, sd > 0.
double equal_pairs_p(std::size_t pairs, std::size_t n, double sd, double step);

/// The distance of neighbouring values that a metric can have, from values of any origin, also such as were computed
/// before they were printed (`resolution` takes printed decimals): a power of ten, 1/N of a share, or
/// the precision of a float; 0 if there is none. Two values of the same step may be equal by chance.
double value_step(std::span<const double>);

/// The smallest N up to a million of which all values are multiples of 1/N; none if there is none.
std::optional<std::int64_t> common_denominator(std::span<const double>);

}  // namespace stats

#pragma once
// The two one-sided p-values of one test, for tests that have no standard error to make them from. Pure; any thread.

#include <algorithm>

namespace stats {

/// `less`: p of "the treatment is not below" against "it is below"; `greater` the other way. Both hold the observed
/// value itself, so that their sum is 1 or more for discrete tests.
struct OneSided {
  double less = 1, greater = 1;
};

/// Twice the smaller, at most 1.
inline double two_sided(const OneSided& p) {
  return std::min(1.0, 2 * std::min(p.less, p.greater));
}

}  // namespace stats

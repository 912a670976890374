#pragma once
// Reduces observed cells to the units a test counts: pairs per seed, independent runs, points of lines, or exact
// numbers. How is decided by metric and design, never by the values. Pure; any thread.

#include <optional>
#include <span>
#include <string>

#include "kernel/observations.h"
#include "kernel/sample.h"

namespace kernel {

/// How a hypothesis is tested.
struct TestMethod {
  bool exact = false;  ///< Deterministic metrics: compared, not estimated.
  bool rank = false;   ///< Arms are compared by ranks.
  bool cut = false;    ///< By ranks that hold values which are at least so much.
  bool share = false;  ///< By how many runs succeeded, as far as they say 1 or 0.
  bool log = false;    ///< Arms are compared on logarithms; slopes take theirs from `scale`.
};
TestMethod method_of(const StudySpec&, const Hypothesis&);
/// Declared so that some of its values may be known to be at least so much, and no more.
bool may_be_cut(const Metric&);

struct Units {
  std::optional<Sample> sample;
  std::string obstacle;  ///< Why the sample cannot carry a verdict, or why there is none; empty: it can.
  int incomplete = 0;    ///< Seeds of both arms left out of the pairs because a cell lacks them.
};

/// `settings`: all of them, or one for `over: every`.
Units units_of(const StudySpec&, const Hypothesis&, std::span<const Setting> settings);

}  // namespace kernel

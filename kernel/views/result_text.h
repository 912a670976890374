#pragma once
// The numbers of one hypothesis's result as text, with units and the digits that the intervals justify. Every page and
// text shows the same bytes. Pure; any thread.

#include <string>

#include "kernel/study/state.h"

namespace kernel {

class TestMethod;

/// The unit of the hypothesis's effect: that of the metric, or of the slope.
std::string effect_unit(const StudySpec&, const Hypothesis&);

/// The method that tested the hypothesis, or that will test it if its sample fits the method.
const TestMethod& method_used(const StudySpec&, const HypothesisRecord&);

/// A result's numbers, rounded by its intervals; a missing number is "not available: reason".
struct ShownResult {
  std::string effect, interval;                    ///< In the unit of the effect.
  std::string relative_effect, relative_interval;  ///< Empty if the test is not about a ratio and none was computed.
  std::string level, p, p_corrected, n, failed, power, se, df, bootstrap;

  /// True if the hypothesis is about the relative numbers, because its margin is relative.
  bool relative = false;
  const std::string& main_effect() const { return relative ? relative_effect : effect; }
  const std::string& main_interval() const { return relative ? relative_interval : interval; }
};

/// Precondition: the record has its result, or was withdrawn.
ShownResult shown(const StudySpec&, const HypothesisRecord&);

}  // namespace kernel

#pragma once
// The numbers of one hypothesis's result as text, with their units and the digits that the intervals justify: the same
// bytes wherever they are shown, quoted or referred to. Pure; any thread.

#include <string>

#include "kernel/study/state.h"

namespace kernel {

class TestMethod;

/// The unit of the hypothesis's effect: the metric's, or the slope's.
std::string effect_unit(const StudySpec&, const Hypothesis&);

/// The method that tested the hypothesis, or that will if its units are as they should be.
const TestMethod& method_used(const StudySpec&, const HypothesisRecord&);

/// A result's numbers, rounded by its intervals; what is missing is "not available: reason".
struct ShownResult {
  std::string effect, interval;                    ///< In the unit of the effect.
  std::string relative_effect, relative_interval;  ///< Empty: the test is not about a ratio and none was computed.
  std::string level, p, p_corrected, n, failed, power, se, df, bootstrap;

  /// What the hypothesis is about: the relative numbers where its margin is relative, else the absolute ones.
  bool relative = false;
  const std::string& main_effect() const { return relative ? relative_effect : effect; }
  const std::string& main_interval() const { return relative ? relative_interval : interval; }
};

/// Precondition: the record has its result, or was withdrawn.
ShownResult shown(const StudySpec&, const HypothesisRecord&);

}  // namespace kernel

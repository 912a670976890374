#pragma once
// The numbers of one hypothesis's result as text, with units and the digits that the intervals justify. Every page and
// text shows the same bytes. Pure; any thread.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

class TestMethod;

/// The unit of the hypothesis's effect: that of the metric, or of the slope.
std::string effect_unit(const StudySpec&, const Hypothesis&);

/// The method that tested the hypothesis, or that will test it if its sample fits the method.
const TestMethod& method_used(const StudySpec&, const HypothesisRecord&);

/// A number as text, or the reason why there is none.
struct ShownNumber {
  ShownNumber(std::string page_text = "", std::optional<std::string> why_missing = {})
      : text(std::move(page_text)), missing(std::move(why_missing)) {}

  std::string text;                    ///< The number, or what pages have in its place.
  std::optional<std::string> missing;  ///< Why there is no number.
};

/// A result's numbers, rounded by its intervals.
struct ShownResult {
  ShownNumber effect, interval;  ///< In the unit of the effect.
  /// Not computed only if the test is not about a ratio.
  ShownNumber relative_effect{"not computed", "it was not computed"}, relative_interval = relative_effect;
  ShownNumber level, p, p_corrected, n, failed, power, se, df, bootstrap;
  /// Sentences on what the result rests on and how firm it is; none for results of earlier programs.
  std::vector<std::string> reading;

  /// True if the hypothesis is about the relative numbers, because its margin is relative.
  bool relative = false;
  const ShownNumber& main_effect() const { return relative ? relative_effect : effect; }
  const ShownNumber& main_interval() const { return relative ? relative_interval : interval; }
};

/// Precondition: the record has its result, or was withdrawn. `wording`: of the study.
ShownResult shown(const StudySpec&, const HypothesisRecord&, int wording = wording_version);

}  // namespace kernel

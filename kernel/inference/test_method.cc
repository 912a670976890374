#include "kernel/inference/test_method.h"

#include <cmath>

namespace kernel {

bool TestMethod::varies(const Test& test) {
  for (const auto& boundary : {test.region.below, test.region.above}) {
    if (!boundary) continue;
    const auto c = contrast(test.sample, *boundary);
    if (!c || c->standard_error <= 0) return false;
  }
  return true;
}

std::optional<stats::Contrast> TestMethod::contrast_of_means(const Test& test) {
  return contrast(test.sample, {test.kind == HypothesisKind::slope ? 0.0 : 1.0, 0});
}

void TestMethod::add_error(Test& test) {
  const auto own = contrast_of_means(test);
  if (!own || !(own->standard_error > 0)) return;
  // The error of a log ratio becomes one of the effect by the delta method, as for the interval.
  test.standard_error = own->standard_error * (test.scales.log ? std::exp(arm_means(test.sample).treatment) : 1);
  test.df = own->df;
}

stats::Interval TestMethod::less_one(const stats::Interval& ratio) {
  const auto less = [](std::optional<double> end) { return end ? std::optional(*end - 1) : std::nullopt; };
  return {less(ratio.low), less(ratio.high)};
}

const TestMethod& method_of(const StudySpec& spec, const Hypothesis& h) {
  for (const TestMethod* method : {&exact_method, &censored_rank_method, &rank_method, &share_method,
                                   &anytime_log_t_method, &anytime_t_method, &log_t_method})
    if (method->fits(spec, h)) return *method;
  return t_method;
}

}  // namespace kernel

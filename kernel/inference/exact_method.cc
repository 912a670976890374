#include "kernel/evidence/blocks.h"
#include "kernel/inference/test_method.h"

namespace kernel {

namespace {

/// Compares deterministic metrics without error; the boundary itself counts as outside.
class ExactMethod : public TestMethod {
 public:
  const char* name() const override { return "exact"; }

  bool fits(const StudySpec& spec, const Hypothesis& h) const override {
    if (h.method != Method::automatic) return h.method == Method::exact;
    const Metric* metric = spec.metric(h.metric);
    // A deterministic value still varies between blocks or items, which are a sample.
    return metric && metric->deterministic && !in_blocks(spec) && h.unit == TestUnit::seed;
  }

  UnitRules units() const override { return {.exact = true}; }

  void measure(Test& test) const override {
    const Region& region = test.region;
    const auto below = region.below ? contrast(test.sample, *region.below) : std::nullopt;
    const auto above = region.above ? contrast(test.sample, *region.above) : std::nullopt;
    const bool is_below = below && below->estimate < 0, is_above = above && above->estimate > 0;
    const bool held = region.either ? is_below || is_above : (!region.below || is_below) && (!region.above || is_above);
    test.p = held ? PValues{0, 1, 1} : PValues{1, 0, 1};
  }

  stats::Interval interval(const Test& test, double) const override { return {test.effect, test.effect}; }

  stats::Interval relative_interval(const Test& test, double) const override {
    return {test.effect_relative, test.effect_relative};
  }

  /// A metric is only known not to vary once all runs have ended.
  bool at_looks() const override { return false; }
};

const ExactMethod exact_test;

}  // namespace

const TestMethod& exact_method = exact_test;

}  // namespace kernel

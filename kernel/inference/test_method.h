#pragma once
// A method of testing one hypothesis: what its units are, what they say against the region, how it is sized, and the
// words for it. One object per method, without state; metric and design decide which one tests a hypothesis, never the
// values. Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/evidence/observations.h"
#include "kernel/inference/hypothesis_region.h"

namespace kernel {

struct Ranked;
struct Test;

struct BootstrapInterval {
  stats::Interval interval;  ///< In the unit of the effect.
  std::size_t smallest = 0;  ///< How many values the smallest resampled sample has.
};

class TestMethod {
 public:
  /// As the read model has it.
  virtual const char* name() const = 0;
  /// Whether it tests the hypothesis; of several methods that would, the first in the list of `method_of` does.
  virtual bool fits(const StudySpec&, const Hypothesis&) const = 0;
  /// Why the sample is none of this method after all; then `fallback` tests it.
  virtual std::optional<Reason> unfit(const Hypothesis&, const Sample&) const { return std::nullopt; }
  virtual const TestMethod& fallback() const { return *this; }
  virtual UnitRules units() const { return {}; }

  /// Sets p-values, errors and `tested` of a test whose sample and region are set, and whose effects are those of the
  /// arms' means.
  virtual void measure(Test&) const = 0;
  /// Two-sided, brackets `Test::effect`. Without ends when the sample did not vary.
  virtual stats::Interval interval(const Test&, double level) const = 0;
  /// The same for `Test::effect_relative`.
  virtual stats::Interval relative_interval(const Test&, double level) const = 0;
  /// The test's p-values if its units are these, of which some failed: against support each ranks worst for the
  /// hypothesis, in both arms; against refutation best for it. None: a failed unit has no rank.
  virtual std::optional<PValues> with_failures(const Ranked&, const Test&) const { return std::nullopt; }
  /// BCa, of 2000 replicates; fewer above 1000 values, and none above 2000 values, where they add nothing but time.
  /// The same on every machine.
  virtual std::optional<BootstrapInterval> bootstrap(const Test&, std::uint64_t /*seed*/, double /*level*/) const {
    return std::nullopt;
  }
  /// Effects and their errors are of the arms' means.
  virtual bool of_means() const { return true; }
  /// Against equality its p is that of an exact test, which may suffice less than the interval.
  virtual bool exact_at_equality() const { return false; }
  /// Whether a look before the last one may decide.
  virtual bool at_looks() const { return true; }

  /// Variance of the contrast with one replicate, from a pilot.
  virtual double variance(const Sample& pilot, const Boundary& at) const { return replicate_variance(pilot, at); }
  /// What one run is worth, in runs of a t test.
  virtual double efficiency() const { return 1; }
  /// The smallest one-sided p that n replicates of either arm can give.
  virtual double smallest_p(Pairing, int /*replicates*/) const { return 0; }

  /// What the shape of the sample says against its assumptions.
  virtual std::vector<Reason> warnings(const Sample&) const { return {}; }
  /// A sentence that names the test; none where nothing or Student's t does.
  virtual std::optional<std::string> words(const StudySpec&) const { return std::nullopt; }
  /// A sentence; none where independent runs are all that it assumes.
  virtual std::optional<std::string> assumption() const { return std::nullopt; }

 protected:
  ~TestMethod() = default;
  /// Whether the contrast has an error at every boundary.
  static bool varies(const Test&);
  /// That whose estimate is the difference of the arms' means, or the slope.
  static std::optional<stats::Contrast> contrast_of_means(const Test&);
  /// Sets error and degrees of freedom to those of that contrast.
  static void add_error(Test&);
  /// Of treatment / control − 1, from that of treatment / control.
  static stats::Interval less_one(const stats::Interval& ratio);
};

/// One sample held against the hypothesised region. All but `average` over the crossed cells has one per setting.
struct Test {
  Cell setting;  ///< The levels it is about; empty: all settings together.
  HypothesisKind kind = HypothesisKind::compare;
  const TestMethod* method = nullptr;  ///< Never null in an estimate.
  bool open = false;                   ///< By ranks: `effect` is bounded on one side only, and is that end.
  Sample sample;
  Region region;
  Scales scales;
  PValues p;                         ///< With failed runs also under `worst_case`: the larger ones.
  std::optional<PValues> survivors;  ///< Of the runs that succeeded alone, where others failed.
  /// Treatment − control in the metric's unit; of a slope the slope, of logarithms the difference of geometric means.
  double effect = 0;
  std::optional<double> effect_relative;  ///< Treatment / control − 1; of a slope slope / value − 1.
  bool tested = false;                    ///< Not exact, and the sample varies: it has p-values.
  std::optional<double> standard_error;   ///< Of `effect`; none without variance.
  std::optional<double> df;
  std::optional<double> sd;  ///< Of the test's unit (see `unit_sd`) at the region's first boundary.

  stats::Interval interval(double level) const { return method->interval(*this, level); }
  stats::Interval relative_interval(double level) const { return method->relative_interval(*this, level); }
};

extern const TestMethod &t_method, &log_t_method, &exact_method, &rank_method, &censored_rank_method, &share_method;

const TestMethod& method_of(const StudySpec&, const Hypothesis&);

}  // namespace kernel

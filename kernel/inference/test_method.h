#pragma once
// A method that tests one hypothesis: its units, p-values, sizing and words. There is one stateless object per method.
// Metric and design select the method of a hypothesis, never the values. Pure; any thread.

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
  std::size_t smallest = 0;  ///< The number of values in the smallest resampled sample.
};

class TestMethod {
 public:
  /// The name in the read model.
  virtual const char* name() const = 0;
  /// True if the method can test the hypothesis; the first such method in the list of `method_of` tests it.
  virtual bool fits(const StudySpec&, const Hypothesis&) const = 0;
  /// Why the method cannot test this sample; then `fallback` tests it. None if it can.
  virtual std::optional<Reason> unfit(const Hypothesis&, const Sample&) const { return std::nullopt; }
  virtual const TestMethod& fallback() const { return *this; }
  virtual UnitRules units() const { return {}; }

  /// Sets p-values, errors and `tested`. Sample and region are set, and the effects are those of the arms' means.
  virtual void measure(Test&) const = 0;
  /// A two-sided interval around `Test::effect`; without ends if the sample did not vary.
  virtual stats::Interval interval(const Test&, double level) const = 0;
  /// The same for `Test::effect_relative`.
  virtual stats::Interval relative_interval(const Test&, double level) const = 0;
  /// The test's p-values for units of which some failed. For support, each failed unit ranks worst for the hypothesis
  /// in both arms; for refutation, best. None if the method cannot rank a failed unit.
  virtual std::optional<PValues> with_failures(const Ranked&, const Test&) const { return std::nullopt; }
  /// The BCa interval of 2000 replicates, fewer above 1000 values; none above 2000. The same on every machine.
  virtual std::optional<BootstrapInterval> bootstrap(const Test&, std::uint64_t /*seed*/, double /*level*/) const {
    return std::nullopt;
  }
  /// True if effects and their errors are of the arms' means.
  virtual bool of_means() const { return true; }
  /// True if the p against equality comes from an exact test, which may be larger than that of the interval.
  virtual bool exact_at_equality() const { return false; }
  /// True if a look before the last one may decide.
  virtual bool at_looks() const { return true; }
  /// The one-sided level at which Student's t decides as this test does at `alpha`, with so many degrees of freedom.
  virtual double level_of_t(double alpha, double /*df*/) const { return alpha; }

  /// The power of its own test at one boundary with n replicates, if the truth lies `distance` inside the region from
  /// there. None if the power of Student's t is used, with `variance`. `alpha` is one-sided.
  virtual std::optional<double> own_power(const Sample& /*pilot*/, const Boundary&, bool /*below*/, double /*distance*/,
                                          double /*alpha*/, int /*n*/) const {
    return std::nullopt;
  }
  /// The variance of the contrast with one replicate, from a pilot.
  virtual double variance(const Sample& pilot, const Boundary& at) const { return replicate_variance(pilot, at); }
  /// The efficiency of one run, relative to a run of a t test.
  virtual double efficiency() const { return 1; }
  /// The smallest one-sided p that n replicates of either arm can give.
  virtual double smallest_p(Pairing, int /*replicates*/) const { return 0; }

  /// Violations of its assumptions by the shape of the sample.
  virtual std::vector<Reason> warnings(const Sample&) const { return {}; }
  /// A sentence that names the test; none for Student's t and for exact comparisons.
  virtual std::optional<std::string> words(const StudySpec&) const { return std::nullopt; }
  /// A sentence about the assumptions; none if independent runs are the only one.
  virtual std::optional<std::string> assumption() const { return std::nullopt; }

 protected:
  ~TestMethod() = default;
  /// True if the contrast has an error at every boundary.
  static bool varies(const Test&);
  /// The contrast that estimates the difference of the arms' means, or the slope.
  static std::optional<stats::Contrast> contrast_of_means(const Test&);
  /// Sets error and degrees of freedom to those of that contrast.
  static void add_error(Test&);
  /// The interval of treatment / control − 1 from that of treatment / control.
  static stats::Interval less_one(const stats::Interval& ratio);
};

/// One sample compared with the hypothesised region. There is one per setting, unless the hypothesis averages.
struct Test {
  Cell setting;  ///< Its levels; empty if the test covers all settings.
  HypothesisKind kind = HypothesisKind::compare;
  const TestMethod* method = nullptr;  ///< Never null in an estimate.
  bool open = false;                   ///< By ranks: one side has no bound, and `effect` is the other end.
  Sample sample;
  Region region;
  Scales scales;
  PValues p;                         ///< With failed runs, the larger of these and those of `worst_case`.
  std::optional<PValues> survivors;  ///< Of the runs that succeeded, if others failed.
  /// Treatment − control in the metric's unit; the slope of a slope, the difference of geometric means for logarithms.
  double effect = 0;
  std::optional<double> effect_relative;  ///< Treatment / control − 1; for a slope, slope / value − 1.
  bool tested = false;                    ///< True if not exact and the sample varies: it has p-values.
  std::optional<double> standard_error;   ///< Of `effect`; none without variance.
  std::optional<double> df;
  std::optional<double> sd;  ///< Of the test's unit (see `unit_sd`) at the region's first boundary.

  stats::Interval interval(double level) const { return method->interval(*this, level); }
  stats::Interval relative_interval(double level) const { return method->relative_interval(*this, level); }
};

extern const TestMethod &t_method, &log_t_method, &anytime_t_method, &anytime_log_t_method, &exact_method, &rank_method,
    &censored_rank_method, &share_method;

const TestMethod& method_of(const StudySpec&, const Hypothesis&);

}  // namespace kernel

#include <algorithm>
#include <cmath>

#include "kernel/inference/rank_method.h"
#include "kernel/inference/setting_summaries.h"
#include "kernel/inference/test_method.h"
#include "stats/error_rates/anytime.h"

namespace kernel {

namespace {

stats::Interval scaled(const stats::Interval& i, double factor) {
  const auto times = [&](std::optional<double> end) { return end ? std::optional(*end * factor) : std::nullopt; };
  return factor >= 0 ? stats::Interval{times(i.low), times(i.high)} : stats::Interval{times(i.high), times(i.low)};
}

/// Converts an interval of a log ratio to one of ratio − 1.
stats::Interval raised(const stats::Interval& i) {
  const auto raise = [](std::optional<double> end) -> std::optional<double> {
    const double value = end ? std::expm1(*end) : HUGE_VAL;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  };
  return {raise(i.low), raise(i.high)};
}

/// Student's t on the values, or on their logarithms. `anytime`: as a confidence sequence over paired units.
class TTest : public TestMethod {
 public:
  constexpr TTest(bool log, bool anytime) : log_(log), anytime_(anytime) {}

  const char* name() const override { return log_ ? "log_t" : "t"; }

  bool fits(const StudySpec& spec, const Hypothesis& h) const override {
    if (anytime_ && !(spec.design.looks && spec.design.looks->anytime)) return false;
    if (!log_) return true;
    const Metric* metric = spec.metric(h.metric);
    return h.has_arms() &&
           (h.method == Method::log_t || (h.method == Method::automatic && metric && metric->scale == Scale::log));
  }

  UnitRules units() const override { return {.logarithms = log_}; }

  void measure(Test& test) const override {
    test.tested = varies(test);
    if (!test.tested) return;
    add_error(test);
    const Region& region = test.region;
    test.p = both_sides(region, region.below ? side_of(test.sample, region, false) : Side{},
                        region.above ? side_of(test.sample, region, true) : Side{});
  }

  std::optional<PValues> with_failures(const Ranked& runs, const Test& test) const override {
    if (anytime_) return std::nullopt;  // Ranks hold at one number of pairs only.
    return ranked_p_values(runs, test.region, test.sd);
  }

  double level_of_t(double alpha, double df) const override {
    return anytime_ ? stats::nominal_anytime_level(std::min(alpha, 0.499), df) : alpha;
  }

  /// For logarithms, the interval of the ratio times the control's geometric mean.
  stats::Interval interval(const Test& test, double level) const override {
    const auto c = contrast_of_means(test);
    const std::optional<double> of_t = c ? level_here(level, c->df) : std::nullopt;
    return of_t && test.standard_error ? in_unit(test, stats::interval(*c, *of_t)) : stats::Interval{};
  }

  /// Fieller's interval; exact for logarithms.
  stats::Interval relative_interval(const Test& test, double level) const override {
    const std::optional<double> of_t = test.df ? level_here(level, *test.df) : std::nullopt;
    if (!test.standard_error || !of_t) return {};
    if (log_) return raised(stats::interval(*contrast(test.sample, {}), *of_t));
    return less_one(ratio_interval(test.sample, *of_t));
  }

  std::optional<BootstrapInterval> bootstrap(const Test& test, std::uint64_t seed, double level) const override {
    if (anytime_) return std::nullopt;
    const std::vector<stats::WeightedSample> samples = resampled(test.sample);
    std::size_t values = 0;
    for (const stats::WeightedSample& s : samples) values += s.values.size();
    if (values == 0 || values > 2000) return std::nullopt;
    const std::size_t draws = 2'000'000;
    const auto b =
        stats::bootstrap(samples, static_cast<int>(std::clamp<std::size_t>(draws / values, 1000, 2000)), seed);
    if (!b) return std::nullopt;
    return BootstrapInterval{in_unit(test, stats::bca_interval(*b, level)), b->smallest};
  }

  std::vector<Reason> warnings(const Sample& sample) const override { return shape_warnings(sample, false); }

  std::optional<std::string> assumption() const override {
    return "Means are near enough to normal for Student's t, at the number of runs used.";
  }

  std::optional<std::string> words(const StudySpec&) const override {
    if (!anytime_) return std::nullopt;
    return "By a confidence sequence: Student's t, valid at every number of pairs at once.";
  }

 private:
  /// The level of Student's interval that is the confidence sequence's; none if that has no ends.
  std::optional<double> level_here(double level, double df) const {
    if (!anytime_) return level;
    const double outside = level_of_t((1 - level) / 2, df);
    return outside > 0 ? std::optional(1 - 2 * outside) : std::nullopt;
  }

  stats::OneSided p_of(const stats::Contrast& c) const {
    return anytime_ ? stats::anytime_p(c) : stats::OneSided{stats::p_less(c), stats::p_greater(c)};
  }

  Side side_of(const Sample& sample, const Region& region, bool above) const {
    const Boundary& at = above ? *region.above : *region.below;
    const auto c = contrast(sample, at);
    if (!c) return {};
    const stats::OneSided p = p_of(*c);
    Side side{p.less, p.greater, 1};
    if (above) std::swap(side.outside, side.inside);
    const std::optional<Boundary>& beyond = above ? region.far_above : region.far_below;
    if (region.far_sd) {
      const double far = c->standard_error > 0 ? *region.far_sd * unit_sd(sample, at) / c->standard_error : 0;
      side.beyond = above ? stats::p_not_above(*c, far) : stats::p_not_below(*c, far);
    } else if (const auto far = beyond ? contrast(sample, *beyond) : std::nullopt) {
      side.beyond = above ? p_of(*far).less : p_of(*far).greater;
    }
    return side;
  }

  stats::Interval in_unit(const Test& test, const stats::Interval& own) const {
    return log_ ? scaled(raised(own), std::exp(arm_means(test.sample).control)) : own;
  }

  const bool log_, anytime_;
};

const TTest t_test(false, false), log_t_test(true, false), anytime_test(false, true), anytime_log_test(true, true);

}  // namespace

const TestMethod &t_method = t_test, &log_t_method = log_t_test, &anytime_t_method = anytime_test,
                 &anytime_log_t_method = anytime_log_test;

}  // namespace kernel

#include "kernel/sizing/size_of_confirmation.h"

#include <cmath>

#include "base/assert.h"
#include "stats/basics/distributions.h"
#include "stats/error_rates/t_test_power.h"

namespace kernel {

namespace {

constexpr int enough_df = 3;

/// Upper 80 % limit of a variance: sized by it, a study has its power more often than not, also from few repeats
/// (Browne, "On the use of a pilot sample for sample size determination", Statistics in Medicine 14, 1995).
double cautious(double variance, int df) {
  return variance * df / stats::chi_squared_quantile(0.2, df);
}

}  // namespace

std::optional<double> confirmation_power(const StudyTerms& study, const ExpectedGain& expected, int replicates) {
  if (expected.on_scale <= 0 || expected.df < enough_df || expected.variance <= 0 || replicates < 2)
    return std::nullopt;
  const Design& design = study.spec.design;
  const double error = std::sqrt(2 * cautious(expected.variance, expected.df) / replicates);
  const double df = design.pairing == Pairing::seed ? replicates - 1 : 2 * replicates - 2;
  return stats::t_power(expected.on_scale / error, df, design.alpha / design.confirm->top, stats::Sides::one);
}

SizeRecord confirmation_size(const Study& study) {
  const Design& design = study.spec.design;
  ETUDE_ASSERT(design.confirm && design.confirm->most > 0);
  const Confirm& confirm = *design.confirm;
  SizeRecord size;
  size.replicates = confirm.replicates;
  const std::optional<ExpectedGain> expected = expected_gain(study);
  const auto power = [&](int n) { return expected ? confirmation_power(study, *expected, n) : std::nullopt; };
  if (!power(confirm.replicates)) {
    size.how = {ReasonCode::size_without_gain,
                {{"replicates", size.replicates}, {"least", confirm.replicates}, {"most", confirm.most}}};
    return size;
  }
  size.replicates = stats::smallest_n(confirm.replicates, confirm.most, design.power, [&](int n) {
                      return power(n).value_or(0);
                    }).value_or(confirm.most);
  size.power = power(size.replicates);
  size.sd = std::sqrt(expected->variance);
  size.how = {ReasonCode::size_for_gain,
              {{"gain", expected->gain},
               {"sd", *size.sd},
               {"replicates", size.replicates},
               {"least", confirm.replicates},
               {"most", confirm.most},
               {"power", *size.power},
               {"asked", design.power}}};
  if (const Metric& metric = study.spec.primary(); !metric.unit.empty()) size.how.values["unit"] = metric.unit;
  return size;
}

}  // namespace kernel

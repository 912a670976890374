#include "kernel/inference/setting_summaries.h"

#include <algorithm>
#include <cmath>

#include "kernel/evidence/sample.h"
#include "kernel/inference/test_method.h"

namespace kernel {

namespace {

ArmSummary summary_of(const std::vector<ObservedCell>& cells) {
  ArmSummary arm;
  std::vector<double> all;
  double first_cut = HUGE_VAL;
  for (const ObservedCell& cell : cells) {
    arm.failed += static_cast<int>(cell.failed.size());
    arm.unusable += cell.unusable;
    for (const auto& v : cell.values) {
      all.push_back(v.value);
      if (v.censored) first_cut = std::min(first_cut, v.value);
    }
  }
  arm.n = static_cast<int>(all.size());
  arm.median = stats::median(all);
  if (arm.median && *arm.median >= first_cut) arm.median.reset();
  if (first_cut < HUGE_VAL) return arm;
  arm.mean = stats::mean(all);
  arm.sd = stats::standard_deviation(all);
  return arm;
}

constexpr std::size_t fewest = 5;

std::optional<Reason> skew(std::span<const double> values, ReasonCode what) {
  if (values.size() < fewest) return std::nullopt;
  const std::optional<double> g = stats::skewness(values);
  const double n = static_cast<double>(values.size());
  const double error = std::sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)));
  if (!g || std::abs(*g) <= std::max(1.0, 2 * error)) return std::nullopt;
  return Reason{what, {{"skewness", *g}}};
}

struct Spread {
  std::vector<double> residuals;
  double squares = 0, free = 0;
};

Spread spread(const std::vector<std::vector<double>>& cells, const std::vector<stats::Moments>& moments) {
  Spread arm;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const double v : cells[i]) arm.residuals.push_back(v - moments[i].mean);
    arm.squares += moments[i].variance * static_cast<double>(moments[i].n - 1);
    arm.free += static_cast<double>(moments[i].n - 1);
  }
  return arm;
}

}  // namespace

std::vector<SettingSummary> summaries_of(const StudySpec& spec, const Hypothesis& h,
                                         std::span<const Setting> settings) {
  std::vector<SettingSummary> list;
  for (const Setting& setting : settings) {
    SettingSummary s{setting.levels, summary_of(setting.treatment), summary_of(setting.control), std::nullopt};
    if (h.kind == HypothesisKind::slope || h.kind == HypothesisKind::interaction) {
      const Units units = units_of(spec, h, {&setting, 1}, method_of(spec, h).units());
      const ArmMeans means = units.sample ? arm_means(*units.sample) : ArmMeans{};
      if (units.sample) s.effect = h.has_arms() ? means.treatment - means.control : means.treatment;
    } else if (s.treatment.mean && s.control.mean) {
      s.effect = *s.treatment.mean - *s.control.mean;
    }
    list.push_back(std::move(s));
  }
  return list;
}

std::optional<double> plain_effect(std::span<const SettingSummary> settings) {
  std::vector<double> effects;
  for (const SettingSummary& s : settings)
    if (s.effect) effects.push_back(*s.effect);
  return stats::mean(effects);
}

std::vector<Reason> shape_warnings(const Sample& sample, bool rank) {
  std::vector<Reason> list;
  const auto add = [&](std::optional<Reason> warning) {
    if (warning) list.push_back(std::move(*warning));
  };
  if (const auto* pairs = std::get_if<PairedSample>(&sample)) {
    // Signed ranks assume symmetric differences; Mann and Whitney's test assumes no shape.
    if (pairs->treatment_cut.empty())
      add(skew(resampled(sample).front().values,
               rank ? ReasonCode::skewed_differences_of_ranks : ReasonCode::skewed_differences));
  } else if (const auto* cells = std::get_if<CellSample>(&sample)) {
    if (!cells->treatment_cut.empty()) return list;
    const Spread t = spread(cells->treatment, cells->treatment_moments);
    const Spread c = spread(cells->control, cells->control_moments);
    if (!rank) {
      add(skew(t.residuals, ReasonCode::skewed_treatment));
      add(skew(c.residuals, ReasonCode::skewed_control));
    }
    const double one = t.squares / t.free, other = c.squares / c.free;
    if (std::min(t.residuals.size(), c.residuals.size()) >= fewest && std::max(one, other) > 4 * std::min(one, other))
      list.push_back({ReasonCode::unequal_variances});
  } else if (const auto* lines = std::get_if<LineSample>(&sample); lines && !lines->per_seed.empty()) {
    add(skew(lines->per_seed, ReasonCode::skewed_slopes));
  } else if (lines) {
    std::vector<double> residuals;
    for (std::size_t i = 0; i < lines->lines.size(); ++i) {
      double x = 0, y = 0;
      const double n = static_cast<double>(lines->lines[i].size());
      for (const stats::Point& p : lines->lines[i]) x += p.x / n, y += p.y / n;
      for (const stats::Point& p : lines->lines[i])
        residuals.push_back(p.y - y - lines->fit.per_stratum[i] * (p.x - x));
    }
    add(skew(residuals, ReasonCode::skewed_residuals));
  }
  return list;
}

}  // namespace kernel

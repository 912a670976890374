#include "kernel/evidence/sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "stats/effects/fieller.h"

namespace kernel {

namespace {

constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
// Clang 14 does not deduce this by itself.
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

std::optional<stats::Contrast> compare(double t, double c, const Boundary& b) {
  const double size = std::max({std::abs(t), std::abs(b.ratio * c), std::abs(b.shift)});
  double estimate = t - b.ratio * c - b.shift;
  if (std::abs(estimate) <= rounding * size) estimate = 0;
  if (!std::isfinite(estimate)) return std::nullopt;
  return stats::Contrast{estimate, 0, 1};
}

double mean_of(const std::vector<stats::Moments>& cells) {
  double sum = 0;
  for (const stats::Moments& cell : cells) sum += cell.mean;
  return sum / static_cast<double>(cells.size());
}

/// Σ variance / cells²: the variance of an arm's mean with one run per cell.
double arm_variance(const std::vector<stats::Moments>& cells) {
  double sum = 0;
  for (const stats::Moments& cell : cells) sum += cell.variance;
  return sum / static_cast<double>(cells.size() * cells.size());
}

double pooled_variance(const CellSample& s) {
  double squares = 0, free = 0;
  for (const auto* arm : {&s.treatment_moments, &s.control_moments}) {
    for (const stats::Moments& cell : *arm) {
      squares += cell.variance * static_cast<double>(cell.n - 1);
      free += static_cast<double>(cell.n - 1);
    }
  }
  return squares / free;
}

/// The slope is a weighted sum of the means at the line's x values, so each x value is a sample of its own.
void add_line(const std::vector<stats::Point>& line, double share, std::vector<stats::WeightedSample>& out) {
  std::map<double, std::vector<double>> places;
  double mean_x = 0, sxx = 0;
  for (const stats::Point& p : line) {
    places[p.x].push_back(p.y);
    mean_x += p.x / static_cast<double>(line.size());
  }
  for (const stats::Point& p : line) sxx += (p.x - mean_x) * (p.x - mean_x);
  for (auto& [x, ys] : places) {
    const double weight = share * static_cast<double>(ys.size()) * (x - mean_x) / sxx;
    out.push_back({std::move(ys), weight});
  }
}

}  // namespace

std::optional<stats::Contrast> contrast(const Sample& sample, const Boundary& b) {
  return std::visit(
      Overloaded{
          [&](const ExactSample& s) { return compare(s.treatment, s.control, b); },
          [&](const PairedSample& s) { return stats::paired_contrast(s.treatment, s.control, b.ratio, b.shift); },
          [&](const CellSample& s) {
            auto c = stats::independent_contrast(s.treatment_moments, s.control_moments, b.ratio, b.shift / s.scale);
            if (c) c->estimate *= s.scale, c->standard_error *= s.scale;
            return c;
          },
          [&](const LineSample& s) -> std::optional<stats::Contrast> {
            const std::optional<stats::Contrast> at = compare(s.fit.slope.estimate, s.reference, b);
            if (!at) return std::nullopt;
            return stats::Contrast{at->estimate, s.fit.slope.standard_error, s.fit.slope.df};
          }},
      sample);
}

ArmMeans arm_means(const Sample& sample) {
  return std::visit(
      Overloaded{[](const ExactSample& s) {
                   return ArmMeans{s.treatment, s.control};
                 },
                 [](const PairedSample& s) {
                   return ArmMeans{stats::mean(s.treatment).value_or(0), stats::mean(s.control).value_or(0)};
                 },
                 [](const CellSample& s) {
                   return ArmMeans{s.scale * mean_of(s.treatment_moments), s.scale * mean_of(s.control_moments)};
                 },
                 [](const LineSample& s) {
                   return ArmMeans{s.fit.slope.estimate, s.reference};
                 }},
      sample);
}

double replicate_variance(const Sample& sample, const Boundary& b) {
  return std::visit(
      Overloaded{
          [](const ExactSample&) { return 0.0; },
          [&](const PairedSample& s) {
            const auto c = stats::paired_contrast(s.treatment, s.control, b.ratio, b.shift);
            if (!c) return 0.0;
            return c->standard_error * c->standard_error * static_cast<double>(s.treatment.size());
          },
          [&](const CellSample& s) {
            return s.scale * s.scale *
                   (arm_variance(s.treatment_moments) + b.ratio * b.ratio * arm_variance(s.control_moments));
          },
          [](const LineSample& s) { return s.fit.slope.standard_error * s.fit.slope.standard_error * s.replicates; }},
      sample);
}

double unit_sd(const Sample& sample, const Boundary& b) {
  if (const auto* cells = std::get_if<CellSample>(&sample)) return std::sqrt(pooled_variance(*cells));
  return std::sqrt(replicate_variance(sample, b));
}

stats::Interval ratio_interval(const Sample& sample, double level) {
  const auto exact = [](double t, double c) { return c == 0 ? stats::Interval{} : stats::Interval{t / c, t / c}; };
  return std::visit(
      Overloaded{[&](const ExactSample& s) { return exact(s.treatment, s.control); },
                 [&](const PairedSample& s) {
                   return stats::fieller_paired(s.treatment, s.control, level).value_or(stats::Interval{});
                 },
                 [&](const CellSample& s) {
                   return stats::fieller_independent(s.treatment_moments, s.control_moments, level)
                       .value_or(stats::Interval{});
                 },
                 [&](const LineSample& s) {
                   if (s.reference == 0) return stats::Interval{};
                   const stats::Interval slope = stats::interval(s.fit.slope, level);
                   const double one = *slope.low / s.reference, other = *slope.high / s.reference;
                   return stats::Interval{std::min(one, other), std::max(one, other)};
                 }},
      sample);
}

std::vector<stats::WeightedSample> resampled(const Sample& sample) {
  std::vector<stats::WeightedSample> out;
  if (const auto* pairs = std::get_if<PairedSample>(&sample)) {
    std::vector<double> differences(pairs->treatment.size());
    for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = pairs->treatment[i] - pairs->control[i];
    out.push_back({std::move(differences), 1});
  } else if (const auto* cells = std::get_if<CellSample>(&sample)) {
    for (const auto& values : cells->treatment)
      out.push_back({values, cells->scale / static_cast<double>(cells->treatment.size())});
    for (const auto& values : cells->control)
      out.push_back({values, -cells->scale / static_cast<double>(cells->control.size())});
  } else if (const auto* lines = std::get_if<LineSample>(&sample); lines && !lines->per_seed.empty()) {
    out.push_back({lines->per_seed, 1});
  } else if (lines) {
    for (const auto& line : lines->lines) add_line(line, 1 / static_cast<double>(lines->lines.size()), out);
  }
  return out;
}

}  // namespace kernel

#include "kernel/views/result_text.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/assert.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "kernel/inference/test_method.h"
#include "prose/numbers.h"

namespace kernel {

namespace {

bool is_slope(const HypothesisRecord& record) {
  return record.hypothesis.kind == HypothesisKind::slope;
}

ShownNumber not_available(const std::string& why) {
  return {"not available: " + why, why};
}

std::string why_no_effect(const HypothesisRecord& record) {
  const HypothesisResult& r = *record.result;
  if (is_slope(record) && r.runs()[0] + r.runs()[1] == 0) return "no run to judge by";
  if (!is_slope(record) && r.runs()[0] == 0) return "no treatment run to judge by";
  if (!is_slope(record) && r.runs()[1] == 0) return "no control run to judge by";
  return "the values allow no estimate";
}

std::string why_no_interval(const StudySpec& spec, const HypothesisRecord& record) {
  const HypothesisResult& r = *record.result;
  if (!r.effect) return "there is no effect";
  if (method_of(spec, record.hypothesis).units().exact) return "compared exactly";
  if (r.runs()[0] < 2) return "too few runs";
  return "no standard error";
}

std::string pair_of(const std::array<int, 2>& arms) {
  return fmt::format("{} + {}", arms[0], arms[1]);
}

bool has_pairs(const StudySpec& spec) {
  return spec.design.pairing == Pairing::seed || in_blocks(spec);
}

/// The units of the test: "12 pairs", "12 items", "10 + 10".
std::string units_text(const StudySpec& spec, const HypothesisRecord& record) {
  const Hypothesis& h = record.hypothesis;
  const HypothesisResult& r = *record.result;
  const bool seeds = h.unit == TestUnit::seed && !in_blocks(spec);
  if (method_of(spec, h).units().exact || !has_pairs(spec))
    return is_slope(record) ? prose::counted(r.n[0], "run") : pair_of(r.n);
  return prose::counted(r.n[0], seeds && !is_slope(record) ? "pair" : unit_name(spec, h));
}

std::string sensitivity_text(const Verdict verdict, const Reading& reading) {
  const auto changed = [&](const OtherVerdict& other) {
    return other.verdict == verdict ? fmt::format("stays {}", words_of(verdict))
                                    : fmt::format("is {} (p {})", words_of(other.verdict), prose::probability(other.p));
  };
  std::vector<std::string> parts;
  if (reading.without_outlier && reading.outlier_run != 0)
    parts.push_back(fmt::format("without the outlying value of r{} the verdict {}", reading.outlier_run,
                                changed(*reading.without_outlier)));
  else if (reading.without_outlier)
    parts.push_back(fmt::format("without {} the verdict {}",
                                reading.outliers == 1 ? "its outlying value" : "any one of its outlying values",
                                changed(*reading.without_outlier)));
  if (reading.by_ranks) parts.push_back(fmt::format("by ranks the verdict {}", changed(*reading.by_ranks)));
  return parts.empty() ? "" : fmt::format("Sensitivity: {}.", fmt::join(parts, "; "));
}

std::vector<std::string> reading_text(const StudySpec& spec, const HypothesisRecord& record, const Reading& reading,
                                      const std::string& unit, int wording) {
  const HypothesisResult& r = *record.result;
  std::vector<std::string> list;
  const auto all = [](const std::array<int, 2>& arms) { return arms[0] + arms[1]; };
  std::string runs = fmt::format("Units: {}, of {} runs with a value", units_text(spec, record),
                                 is_slope(record) ? std::to_string(all(reading.runs)) : pair_of(reading.runs));
  if (all(reading.left_out) > 0)
    runs += fmt::format("; {} of them left out, because {} seed lacks a value in another cell", all(reading.left_out),
                        all(reading.left_out) == 1 ? "its" : "their");
  list.push_back(runs + ".");
  if (reading.standardised)
    list.push_back(fmt::format("Standardised size (Hedges' g): {} standard deviations of {}.",
                               prose::rounded(*reading.standardised, 0.05),
                               is_slope(record)  ? "the slopes, from the reference"
                               : has_pairs(spec) ? "the paired differences"
                                                 : "the runs"));
  const SmallestEffect& smallest = record.hypothesis.smallest_effect;
  std::string power;
  if (reading.planned_power) power = fmt::format("planned {:.2f}", *reading.planned_power);
  if (smallest.kind == SmallestEffect::Kind::sd) {
    // In standard deviations, the variance observed changes nothing. The power planned may be for another effect: the
    // gain that a search expects.
    const bool is_planned = reading.planned_power && ((wording < 10 && wording != codes_only) || !r.power);
    const std::optional<double> known = is_planned ? reading.planned_power : r.power;
    if (known)
      list.push_back(fmt::format("Power for an effect of {:g} standard deviation{}: {:.2f}.", smallest.value,
                                 smallest.value == 1 ? "" : "s", *known));
  } else if (r.power || !power.empty()) {
    if (r.power) power += fmt::format("{}with the variance observed {:.2f}", power.empty() ? "" : ", ", *r.power);
    list.push_back("Power for the smallest effect: " + power + ".");
  }
  if (reading.heterogeneity) {
    const Heterogeneity& in = *reading.heterogeneity;
    const double half = (in.highest - in.lowest) / 20;
    std::string text = fmt::format(
        "Across {} settings the effect lies between {} and {}; {} of the variance of these effects is more than chance "
        "explains (I²)",
        in.settings, prose::rounded(in.lowest, half), prose::with_unit(prose::rounded(in.highest, half), unit),
        prose::share_text(std::round(in.i2 * 100) / 100));
    if (in.low && in.high)
      text += fmt::format("; in a new setting it is expected within {} (95 % prediction interval)",
                          prose::with_unit(prose::interval_text(in.low, in.high, (*in.high - *in.low) / 2), unit));
    list.push_back(text + ".");
  }
  if (std::string text = sensitivity_text(r.verdict, reading); !text.empty()) list.push_back(std::move(text));
  return list;
}

ShownResult nothing_shown(const std::string& why) {
  ShownResult s;
  for (ShownNumber* number : {&s.effect, &s.interval, &s.relative_effect, &s.relative_interval, &s.level, &s.p,
                              &s.p_corrected, &s.n, &s.failed, &s.power, &s.se, &s.df, &s.bootstrap})
    *number = not_available(why);
  return s;
}

}  // namespace

ShownResult shown(const StudySpec& spec, const HypothesisRecord& record, int wording) {
  if (!record.withdrawn.empty()) return nothing_shown("it was withdrawn");
  ETUDE_ASSERT(record.result);
  const HypothesisResult& r = *record.result;
  const std::string unit = effect_unit(spec, record.hypothesis);
  ShownResult s;

  const auto half = prose::half_width(r.low, r.effect, r.high);
  s.effect = r.effect ? prose::with_unit(prose::rounded(*r.effect, half), unit) : not_available(why_no_effect(record));
  s.interval = r.low || r.high ? prose::with_unit(prose::interval_text(r.low, r.high, half), unit)
                               : not_available(why_no_interval(spec, record));

  const bool about_ratio = record.hypothesis.margin && record.hypothesis.margin->kind == Margin::Kind::relative;
  // If the control is too close to zero for a percentage, only the absolute numbers are available.
  s.relative = about_ratio && !is_slope(record) && (r.effect_relative || !r.effect || !(r.low || r.high));
  const auto relative_half = prose::half_width(r.relative_low, r.effect_relative, r.relative_high);
  if (r.effect_relative)
    s.relative_effect = prose::percent(*r.effect_relative, relative_half);
  else if (s.relative)
    s.relative_effect = not_available(why_no_effect(record));
  if (r.relative_low || r.relative_high)
    s.relative_interval = prose::percent_interval_text(r.relative_low, r.relative_high, relative_half);
  else if (s.relative)
    s.relative_interval = not_available(!r.effect_relative ? why_no_effect(record) : why_no_interval(spec, record));

  s.level = r.level > 0 ? prose::level_text(r.level) : not_available("nothing was tested");
  const std::string untested =
      method_of(spec, record.hypothesis).units().exact ? "compared exactly" : "nothing was tested";
  s.p = r.p ? prose::probability(*r.p) : not_available(untested);
  s.p_corrected = r.p_corrected ? prose::probability(*r.p_corrected) : not_available(untested);
  s.n = r.reading          ? units_text(spec, record)
        : is_slope(record) ? std::to_string(r.n[0] + r.n[1])
                           : fmt::format("{} + {}", r.n[0], r.n[1]);
  s.failed =
      is_slope(record) ? std::to_string(r.failed[0] + r.failed[1]) : fmt::format("{} + {}", r.failed[0], r.failed[1]);
  s.power = r.power ? fmt::format("{:.2f}", *r.power) : ShownNumber("not known", "not known");
  s.se = r.se ? prose::with_unit(prose::rounded(*r.se, *r.se / 2), unit) : not_available("not estimated");
  s.df = r.df ? prose::rounded(*r.df) : not_available("not estimated");
  s.bootstrap =
      r.bca_low || r.bca_high
          ? prose::with_unit(
                prose::interval_text(r.bca_low, r.bca_high, prose::half_width(r.bca_low, r.effect, r.bca_high)), unit) +
                (r.bca_descriptive ? " (descriptive)" : "")
          : not_available("not computed");
  if (r.reading) s.reading = reading_text(spec, record, *r.reading, unit, wording);
  return s;
}

const TestMethod& method_used(const StudySpec& spec, const HypothesisRecord& record) {
  const TestMethod& method = method_of(spec, record.hypothesis);
  return record.result && !record.result->by_shares.value_or(true) ? method.fallback() : method;
}

std::string effect_unit(const StudySpec& spec, const Hypothesis& h) {
  const Metric* metric = spec.metric(h.metric);
  const std::string unit = metric && metric->unit != "1" ? metric->unit : "";
  if (h.kind == HypothesisKind::interaction && method_of(spec, h).units().logarithms) return "";
  if (h.has_arms()) return unit;
  if (h.slope_scale == SlopeScale::loglog) return "";
  // Earlier programs named the unit of a semilog slope wrongly; their pages keep their text.
  const bool earlier = spec.design.rule == VerdictRule::smallest_effect;
  if (h.slope_scale == SlopeScale::semilog && !earlier)
    return "log " + (unit.empty() ? h.metric : unit) + " per " + h.along;
  const std::string of = h.slope_scale == SlopeScale::linear ? h.along : "unit of log " + h.along;
  return (unit.empty() ? "" : unit + " ") + "per " + of;
}

}  // namespace kernel

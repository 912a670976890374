#include "kernel/sizing/sizing.h"

#include <algorithm>
#include <functional>

#include "kernel/evidence/blocks.h"
#include "kernel/inference/verdict.h"
#include "kernel/sizing/interim_looks.h"
#include "kernel/sizing/power.h"
#include "stats/error_rates/t_test_power.h"

namespace kernel {

namespace {

constexpr int most_searched = 1'000'000;

/// The fewest replicates (or blocks, if these are units) with which every test has a degree of freedom, and a rank test
/// can give a p-value of `alpha`.
int fewest_replicates(const StudySpec& spec, const Hypothesis& h, double alpha) {
  const TestMethod& method = method_of(spec, h);
  if (method.units().exact || h.unit == TestUnit::item) return 1;
  int n = 1;
  const double sides = h.kind == HypothesisKind::crossover   ? crossover_pairs(h)
                       : h.direction == Direction::different ? 2
                                                             : 1;
  while (n < 1000 && sides * method.smallest_p(spec.design.pairing, n) > alpha) ++n;
  for (const DesignShape& shape : shapes_of(spec, h))
    while (shape.df(n) < 1 && n < 1000) ++n;
  return n;
}

/// What the replicates are for.
std::vector<Reason> smallest_of(const Hypothesis& h) {
  const bool without_loss = h.direction == Direction::not_worse && h.margin && h.margin->value > 0;
  if (h.direction == Direction::equal || without_loss) return {{ReasonCode::sized_for_equal_arms}};
  ReasonCode kind = ReasonCode::size_absolute;
  if (h.smallest_effect.kind == SmallestEffect::Kind::sd) kind = ReasonCode::size_in_sd;
  if (h.smallest_effect.kind == SmallestEffect::Kind::relative) kind = ReasonCode::size_relative;
  const Reason size{kind, {{"size", h.smallest_effect.value}}};
  return {{ReasonCode::sized_for_effect, {{"size", std::vector{size}}}}};
}

struct Known {
  std::optional<double> wanted;
  std::function<std::optional<double>(int)> power;
  std::vector<Reason> by;
};

/// `power` is known for every number of replicates from `low` on.
Known known_by(const Design& design, int low, const PowerOfReplicates& power, Reason by) {
  const std::optional<int> n = stats::smallest_n(low, most_searched, design.power, power);
  return {n ? std::optional<double>(*n) : std::nullopt,
          [power](int k) { return std::optional(power(k)); },
          {std::move(by)}};
}

/// Finds how the size can be computed: by the noncentral t, from a pilot, or not at all.
Known known(const StudySpec& spec, const Hypothesis& h, double alpha, const Estimate& pilot,
            std::span<const RunValue> runs) {
  const Known nothing{std::nullopt, [](int) { return std::optional<double>(); }, {}};
  if (h.unit == TestUnit::item) return nothing;  // Replicates are not its units.
  if (in_blocks(spec)) {
    const auto power = power_in_blocks(spec, h, alpha, runs);
    if (!power) return nothing;
    Reason by{ReasonCode::by_noncentral_t_in_blocks, {{"blocks", block_count(spec)}}};
    if ((*power)(1) != (*power)(most_searched))
      by = {ReasonCode::by_pilot_in_blocks, {{"pilot", spec.design.pilot}, {"blocks", block_count(spec)}}};
    return known_by(spec.design, 1, *power, std::move(by));
  }
  const auto in_sd = [&spec, &h, alpha](int n) { return power_of(spec, h, n, alpha); };
  const int low = fewest_replicates(spec, h, alpha);
  if (in_sd(low)) {
    const auto power = [&](int n) { return in_sd(n).value_or(0); };
    const std::optional<int> n = stats::smallest_n(low, most_searched, spec.design.power, power);
    return {n ? std::optional<double>(*n) : std::nullopt, in_sd, {{ReasonCode::by_noncentral_t}}};
  }
  const auto power = power_by_pilot(spec, h, alpha, pilot);
  if (!power) return nothing;
  // Never fewer than in the pilot, because then the test's own quantile would exceed the pilot's.
  const int least = std::max(low, spec.design.pilot);
  return known_by(spec.design, least, *power, {ReasonCode::by_two_stages, {{"pilot", spec.design.pilot}}});
}

std::optional<int> fixed_replicates(const StudySpec& spec, const Hypothesis& h) {
  const Design& design = spec.design;
  if (const auto settled = design.settled.find(h.id); settled != design.settled.end()) return settled->second;
  if (design.confirm) return design.confirm->replicates;
  if (design.looks && design.looks->anytime) return design.replicates_max;
  if (design.replicates_min == design.replicates_max) return design.replicates_min;
  return std::nullopt;
}

/// The level of the last look: the level that earlier looks spend is not available for power.
double level_of(const StudySpec& spec, const Hypothesis& h, int family) {
  return last_level(spec.design, spec.design.alpha / std::max(1, family), sides_of(h.direction));
}

std::int64_t whole(double replicates) {
  return static_cast<std::int64_t>(replicates);
}

/// What is said before more is spent than can help.
Reason too_few_blocks(const StudySpec& spec, const Hypothesis& h, const Size& size) {
  const Reason instead = size.wanted ? Reason{ReasonCode::or_replicates, {{"replicates", whole(*size.wanted)}}}
                                     : Reason{ReasonCode::replicates_do_not_help};
  return {ReasonCode::blocks_short_of_power,
          {{"blocks", block_count(spec)},
           {"replicates", size.record.replicates},
           {"power", *size.record.power},
           {"smallest", smallest_of(h)},
           {"asked", spec.design.power},
           {"instead", std::vector{instead}}}};
}

Reason too_few_replicates(const StudySpec& spec, const Hypothesis& h, const Size& size, int most) {
  const Reason needed = size.wanted ? Reason{ReasonCode::replicates_needed, {{"replicates", whole(*size.wanted)}}}
                                    : Reason{ReasonCode::no_replicates_enough};
  return {ReasonCode::replicates_short_of_power,
          {{"replicates", most},
           {"power", *size.record.power},
           {"smallest", smallest_of(h)},
           {"asked", spec.design.power},
           {"needed", std::vector{needed}}}};
}

Size refused(Size size, Reason why) {
  size.refused = true;
  size.record.how = std::move(why);
  return size;
}

}  // namespace

bool needs_pilot(const StudySpec& spec, const Hypothesis& h) {
  if (fixed_replicates(spec, h) || method_of(spec, h).units().exact) return false;
  const int least = std::max(2, fewest_replicates(spec, h, spec.design.alpha));
  if (in_blocks(spec)) return !power_of(without_blocks(spec), h, std::max(least, block_count(spec)), spec.design.alpha);
  return !power_of(spec, h, least, spec.design.alpha);
}

Size size_of(const StudySpec& spec, const Hypothesis& h, int family, std::span<const RunValue> pilot) {
  const Design& design = spec.design;
  const double alpha = level_of(spec, h, family);
  const std::optional<int> fixed = fixed_replicates(spec, h);
  const int most = fixed.value_or(design.replicates_max), least = fixed.value_or(design.replicates_min);
  Size size;
  size.record.hypothesis = h.id;
  size.record.replicates = most;
  if (shapes_of(spec, h).empty()) return refused(size, {ReasonCode::size_without_arms});
  if (method_of(spec, h).units().exact) {
    size.record.replicates = least;
    size.record.how = {ReasonCode::size_exact};
    return size;
  }
  const int needed = fewest_replicates(spec, h, alpha), floor = in_blocks(spec) ? 1 : needed;
  if (in_blocks(spec) && block_count(spec) < needed)
    return refused(
        size, {ReasonCode::size_of_few_blocks, {{"blocks", block_count(spec)}, {"needed", needed}, {"level", alpha}}});
  if (most < floor)
    return refused(size,
                   {ReasonCode::size_of_few_replicates, {{"replicates", most}, {"needed", floor}, {"level", alpha}}});

  const Estimate observed = pilot.empty() ? Estimate{} : estimate(spec, h, pilot);
  size.warnings = observed.warnings;
  if (!observed.tests.empty()) size.record.sd = observed.tests[observed.weakest].sd;
  const Known size_by = known(spec, h, alpha, observed, pilot);
  size.wanted = size_by.wanted;
  Reason basis{ReasonCode::size_wanted, {{"smallest", smallest_of(h)}, {"level", alpha}, {"by", size_by.by}}};
  if (fixed) {
    basis = {ReasonCode::size_fixed, {{"replicates", *fixed}}};
    if (design.looks && design.looks->anytime)
      basis = {ReasonCode::size_at_most, {{"replicates", *fixed}, {"least", first_anytime_look(design)}}};
  } else if (size.wanted) {
    size.record.replicates = static_cast<int>(std::clamp<double>(*size.wanted, std::max(least, floor), most));
    basis.values["wanted"] = whole(*size.wanted);
  } else if (in_blocks(spec) && size_by.power(most)) {
    if (size_by.power(least) == size_by.power(most)) size.record.replicates = least;
    basis.code = ReasonCode::size_never_enough_in_blocks;
    basis.values["blocks"] = block_count(spec);
  } else if (size_by.power(most)) {
    basis.code = ReasonCode::size_never_enough;
    basis.values["most"] = most_searched;
  } else {
    basis = {pilot.empty() ? ReasonCode::size_without_pilot : ReasonCode::size_without_variance};
  }
  const std::optional<double> power = size_by.power(size.record.replicates);
  size.record.power = power;
  size.record.how = {ReasonCode::size, {{"basis", std::vector{basis}}}};
  if (power) {
    Reason has{ReasonCode::size_has_power, {{"replicates", size.record.replicates}, {"power", *power}}};
    if (fixed || !size.wanted) has.values["smallest"] = smallest_of(h);
    size.record.how.values["power"] = std::vector{has};
  }
  // Sizes of earlier programs did not say it.
  const bool says_detectable = design.rule == VerdictRule::one_interval;
  if (const auto found =
          says_detectable ? detectable_by_pilot(spec, h, alpha, observed, size.record.replicates) : std::nullopt) {
    const Test& test = observed.tests[observed.weakest];
    const Metric* metric = spec.metric(h.metric);
    Reason detected{ReasonCode::size_relative, {{"size", std::abs(std::expm1(test.region.below ? -*found : *found))}}};
    if (!test.scales.log) detected = {ReasonCode::size_absolute, {{"size", *found}}};
    if (!test.scales.log && h.has_arms() && metric && !metric->unit.empty() && metric->unit != "1")
      detected.values["unit"] = metric->unit;
    Reason says{ReasonCode::size_detects,
                {{"replicates", size.record.replicates}, {"size", std::vector{detected}}, {"power", design.power}}};
    for (const int times : {2, 4, 8})
      if (const auto half = detectable_by_pilot(spec, h, alpha, observed, times * size.record.replicates);
          half && *half <= *found / 2) {
        says.values["smaller"] =
            std::vector{Reason{ReasonCode::size_for_half, {{"replicates", times * size.record.replicates}}}};
        break;
      }
    size.record.how.values["detects"] = std::vector{says};
  }
  if (in_blocks(spec) && power && *power < design.power)
    size.warnings.push_back(too_few_blocks(spec, h, size));
  else if (!fixed && power && *power < design.power)
    size.warnings.push_back(too_few_replicates(spec, h, size, most));
  if (power && *power < design.power && size.record.replicates == most)
    size.record.how.values["short"] = std::vector{Reason{ReasonCode::size_short_of_power, {{"asked", design.power}}}};
  return size;
}

std::optional<double> achieved_power(const StudySpec& spec, const Hypothesis& h, int family,
                                     std::span<const RunValue> pilot, int replicates) {
  const double alpha = level_of(spec, h, family);
  const int units = in_blocks(spec) ? block_count(spec) : replicates;
  if (method_of(spec, h).units().exact || units < fewest_replicates(spec, h, alpha)) return std::nullopt;
  return known(spec, h, alpha, pilot.empty() ? Estimate{} : estimate(spec, h, pilot), pilot).power(replicates);
}

}  // namespace kernel

#include "kernel/inference/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernel/domain/cells.h"
#include "kernel/evidence/blocks.h"
#include "kernel/evidence/items.h"
#include "kernel/evidence/sample.h"
#include "kernel/inference/rank_method.h"
#include "stats/effects/heterogeneity.h"

namespace kernel {

namespace {

PValues larger(const PValues& a, const PValues& b) {
  return {std::max(a.outside, b.outside), std::max(a.inside, b.inside), std::max(a.beyond, b.beyond)};
}

bool any_failed(const Estimate& e) {
  return e.failed[0] + e.failed[1] > 0;
}

bool any_failed(std::span<const Setting> settings) {
  const auto failed = [](const ObservedCell& cell) { return !cell.failed.empty(); };
  return std::ranges::any_of(settings, [&](const Setting& s) {
    return std::ranges::any_of(s.treatment, failed) || std::ranges::any_of(s.control, failed);
  });
}

/// Failed runs of each arm; `many`: of some arm more than the design allows.
std::vector<Reason> failed_runs(const StudySpec& spec, const Estimate& e, bool& many) {
  std::vector<Reason> out;
  static constexpr ReasonCode arms[] = {ReasonCode::failed_in_treatment, ReasonCode::failed_in_control};
  for (std::size_t arm = 0; arm < 2; ++arm) {
    const int total = e.n[arm] + e.failed[arm] + e.unusable[arm];
    if (e.failed[arm] == 0) continue;
    out.push_back({arms[arm], {{"failed", e.failed[arm]}, {"all", total}}});
    many = many || e.failed[arm] > spec.design.max_failed * total;
  }
  return out;
}

/// Why failed runs allow no verdict; empty if none failed, or if a test ranked them, too.
Reason failures(const StudySpec& spec, Estimate& e) {
  if (!any_failed(e)) return {};
  bool many = false;
  const std::vector<Reason> failed = failed_runs(spec, e, many);
  const bool ranked =
      !e.tests.empty() && std::ranges::all_of(e.tests, [](const Test& t) { return t.survivors.has_value(); });
  if (many) return {ReasonCode::failures_too_many, {{"failed", failed}, {"most", spec.design.max_failed}}};
  if (!ranked) return {ReasonCode::failures_unranked, {{"failed", failed}}};
  e.warnings.push_back(
      {in_blocks(spec) ? ReasonCode::failures_ranked_in_blocks : ReasonCode::failures_ranked, {{"failed", failed}}});
  return {};
}

Reason obstacle_of(const StudySpec& spec, const Hypothesis& h, Estimate& e) {
  if (const Reason failed = failures(spec, e); !failed.empty()) return failed;
  if (const int unusable = e.unusable[0] + e.unusable[1]; unusable > 0)
    return {ReasonCode::unusable_runs, {{"runs", unusable}, {"metric", h.metric}}};
  return e.obstacle;
}

int units_in(const Sample& sample) {
  if (const auto* pairs = std::get_if<PairedSample>(&sample)) return static_cast<int>(pairs->treatment.size());
  std::size_t least = SIZE_MAX, points = 0;
  if (const auto* cells = std::get_if<CellSample>(&sample)) {
    for (const auto* arm : {&cells->treatment, &cells->control})
      for (const auto& cell : *arm) least = std::min(least, cell.size());
    return static_cast<int>(least);
  }
  const auto* lines = std::get_if<LineSample>(&sample);
  if (lines && !lines->per_seed.empty()) return static_cast<int>(lines->per_seed.size());
  if (lines)
    for (const auto& line : lines->lines) points += line.size();
  return static_cast<int>(points);
}

/// Units of the treatment and of the control.
std::array<int, 2> units_by_arm(const Sample& sample) {
  const auto count = [](std::size_t n) { return static_cast<int>(n); };
  if (const auto* pairs = std::get_if<PairedSample>(&sample))
    return {count(pairs->treatment.size()), count(pairs->control.size())};
  if (const auto* cells = std::get_if<CellSample>(&sample)) {
    std::array<std::size_t, 2> runs{};
    for (const auto& cell : cells->treatment) runs[0] += cell.size();
    for (const auto& cell : cells->control) runs[1] += cell.size();
    return {count(runs[0]), count(runs[1])};
  }
  return {units_in(sample), 0};
}

/// Counts the units of a test, and the runs with a value that are in none of them.
void count_units(const Sample& sample, std::span<const Setting> settings, Estimate& e) {
  const bool first = e.tests.empty();
  std::array<int, 2> runs{}, cells{}, units = units_by_arm(sample);
  for (const auto& [arm, place] : {std::pair{&Setting::treatment, 0U}, std::pair{&Setting::control, 1U}})
    for (const ObservedCell* cell : cells_in(settings, arm)) {
      ++cells[place];
      runs[place] += static_cast<int>(cell->values.size());
    }
  const auto* lines = std::get_if<LineSample>(&sample);
  const bool by_seed = std::holds_alternative<PairedSample>(sample) || (lines && !lines->per_seed.empty());
  if (std::holds_alternative<ExactSample>(sample)) units = runs;
  for (const std::size_t arm : {0U, 1U}) {
    if (by_seed) e.left_out[arm] += runs[arm] - units[arm] * cells[arm];
    e.arm_units[arm] = first ? units[arm] : std::min(e.arm_units[arm], units[arm]);
  }
}

void add_effect(Test& test) {
  const ArmMeans means = arm_means(test.sample);
  if (test.scales.log) {
    test.effect = std::exp(means.treatment) - std::exp(means.control);
    test.effect_relative = std::expm1(means.treatment - means.control);
  } else {
    test.effect = test.kind == HypothesisKind::slope ? means.treatment : means.treatment - means.control;
    if (means.control != 0 && test.kind != HypothesisKind::interaction)
      test.effect_relative = means.treatment / means.control - 1;
  }
  if (test.effect_relative && !std::isfinite(*test.effect_relative)) test.effect_relative.reset();
}

Reason same_everywhere(const StudySpec& spec, const Hypothesis& h, double effect) {
  if (spec.design.reading)
    return {effect == 0 ? ReasonCode::equal_on_every_unit : ReasonCode::same_on_every_unit,
            {{"metric", h.metric}, {"unit", unit_name(spec, h)}}};
  return {in_blocks(spec) ? ReasonCode::same_on_every_block : ReasonCode::same_on_every_seed, {{"metric", h.metric}}};
}

void add_test(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings, Cell label, Estimate& e) {
  const TestMethod& method = method_of(spec, h);
  const UnitRules rules = method.units();
  Units units = units_of(spec, h, settings, rules);
  if (e.obstacle.empty()) e.obstacle = units.obstacle;
  if (units.incomplete > 0)
    e.warnings.push_back({ReasonCode::units_left_out, {{"units", units.incomplete}, {"unit", unit_name(spec, h)}}});
  if (!units.sample) return;
  const Metric* metric = spec.metric(h.metric);
  Test test;
  test.setting = std::move(label);
  test.kind = h.kind;
  test.sample = std::move(*units.sample);
  const std::optional<Reason> unfit = method.unfit(h, test.sample);
  if (unfit) e.warnings.push_back(*unfit);
  test.method = unfit ? &method.fallback() : &method;
  test.scales = {metric ? metric->goal : Goal::minimize, rules.logarithms, arm_means(test.sample).control};
  auto region = region_of(h, test.scales);
  if (const auto* why = std::get_if<Reason>(&region)) {
    if (e.obstacle.empty()) e.obstacle = *why;
    return;
  }
  test.region = std::get<Region>(region);
  add_effect(test);
  if (!rules.exact) test.sd = unit_sd(test.sample, test.region.below ? *test.region.below : *test.region.above);
  test.method->measure(test);
  if (!test.method->of_means() && !test.effect_relative && e.obstacle.empty() && h.margin &&
      h.margin->kind == Margin::Kind::relative && h.margin->value != 0)
    e.obstacle = {ReasonCode::ranks_need_positive};
  if (any_failed(e) && !any_failed(settings)) {
    test.survivors = test.p;
  } else if (any_failed(e)) {
    if (const auto worst = worst_case(spec, h, settings, test)) {
      test.survivors = test.p;
      test.p = larger(test.p, *worst);
    }
  }
  test.p = by_rule(spec.design.rule, h, test.p);
  if (test.survivors) test.survivors = by_rule(spec.design.rule, h, *test.survivors);
  if (!rules.exact && e.obstacle.empty() && !test.tested) e.obstacle = same_everywhere(spec, h, test.effect);
  if (!rules.logarithms && h.margin && h.margin->kind == Margin::Kind::relative && test.scales.control < 0)
    e.warnings.push_back({ReasonCode::negative_control});
  if (test.open) e.warnings.push_back({ReasonCode::effect_bounded_once});
  for (Reason& warning : test.method->warnings(test.sample)) e.warnings.push_back(std::move(warning));
  const int units_here = units_in(test.sample);
  e.units = e.tests.empty() ? units_here : std::min(e.units, units_here);
  count_units(test.sample, settings, e);
  e.tests.push_back(std::move(test));
}

std::vector<Setting> at_level(std::span<const Setting> settings, const std::string& along, const std::string& level) {
  std::vector<Setting> out(settings.begin(), settings.end());
  for (Setting& setting : out)
    for (std::vector<ObservedCell>* arm : {&setting.treatment, &setting.control})
      std::erase_if(*arm, [&](const ObservedCell& cell) { return cell.cell.at(along) != level; });
  return out;
}

/// Adds one test per level, for `less`; only the p is used from the test for `greater`.
void add_crossover(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings, Estimate& e) {
  const Hypothesis less = at_one_level(h, Direction::less), greater = at_one_level(h, Direction::greater);
  std::vector<stats::OneSided> levels;
  for (const std::string& level : h.steps) {
    const std::vector<Setting> here = at_level(settings, h.along, level);
    Estimate other;
    other.failed = e.failed;
    add_test(spec, less, here, {{h.along, level}}, e);
    add_test(spec, greater, here, {}, other);
    if (other.tests.empty() || e.tests.size() != levels.size() + 1) return;
    levels.push_back({e.tests.back().p.outside, other.tests.back().p.outside});
  }
  const auto found = crossover_p_values(h, levels);
  if (!found) return;
  e.p = found->p;
  // Exact methods have no error: a difference that does not cross is known not to, also if it is 0.
  if (e.tests.front().method->units().exact) e.p = found->p.outside < 1 ? PValues{0, 1, 1} : PValues{1, 0, 1};
  e.crossing = found->pair;
  const bool negative = levels[found->pair.negative].less >= levels[found->pair.positive].greater;
  e.weakest = negative ? found->pair.negative : found->pair.positive;
}

/// Warns if the effects differ between blocks.
void compare_blocks(const StudySpec& spec, const Hypothesis& h, Estimate& e) {
  if (h.kind != HypothesisKind::compare && h.kind != HypothesisKind::interaction) return;
  std::vector<Cell> levels;
  std::vector<double> effects;
  for (const SettingSummary& s : e.settings) {
    if (!s.effect) continue;
    levels.push_back(s.levels);
    effects.push_back(*s.effect);
  }
  if (Reason differ = disagreement(spec, levels, effects); !differ.empty()) e.warnings.push_back(std::move(differ));
}

/// `settings` hold the units that are tested.
void test_all(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings, Estimate& e) {
  if (h.kind == HypothesisKind::crossover) {
    if (!settings.empty()) add_crossover(spec, h, settings, e);
  } else if (h.over == Over::every) {
    for (const Setting& setting : settings) add_test(spec, h, {&setting, 1}, setting.levels, e);
  } else {
    add_test(spec, h, settings, {}, e);
  }
  const std::size_t wanted = h.over == Over::every ? settings.size() : 1;
  if (h.kind != HypothesisKind::crossover && !e.tests.empty() && e.tests.size() == wanted) {
    std::vector<PValues> parts;
    for (const Test& test : e.tests) parts.push_back(test.p);
    e.p = in_every(parts);
    const auto weaker = [](const PValues& a, const PValues& b) { return a.outside < b.outside; };
    e.weakest = static_cast<std::size_t>(std::ranges::max_element(parts, weaker) - parts.begin());
  }
}

}  // namespace

Estimate estimate(const StudySpec& spec, const Hypothesis& h, std::span<const RunValue> runs) {
  const UnitRules rules = method_of(spec, h).units();
  const std::vector<Setting> settings = observe(spec, h, runs, rules);
  Estimate e;
  e.hypothesis = h.id;
  e.settings = summaries_of(spec, h, settings);
  for (const SettingSummary& s : e.settings) {
    for (const auto& [arm, place] : {std::pair{&s.treatment, 0U}, std::pair{&s.control, 1U}}) {
      e.n[place] += arm->n;
      e.failed[place] += arm->failed;
      e.unusable[place] += arm->unusable;
    }
  }
  if (h.unit == TestUnit::item) {
    const ItemValues items = by_item(spec, h, runs, rules);
    if (items.without > 0) e.obstacle = {ReasonCode::items_unnamed, {{"runs", items.without}, {"metric", h.metric}}};
    // Otherwise a job could gain by writing no line for an item that it gets wrong.
    if (items.left_out > 0 && e.obstacle.empty())
      e.obstacle = {ReasonCode::items_left_out,
                    {{"units", items.left_out}, {"item", items.lacking}, {"cell", cell_text(*items.lacked_by)}}};
    if (items.on_some_seeds > 0)
      e.warnings.push_back({ReasonCode::items_on_some_seeds, {{"units", items.on_some_seeds}}});
    e.warnings.push_back({ReasonCode::items_of_these_seeds, {{"seeds", items.seeds}}});
    test_all(spec, h, observe(spec, h, items.values, rules), e);
    e.left_out = {0, 0};  // Items are left out, not runs.
    // A failed run has no items that could be ranked.
    for (Test& test : e.tests) test.survivors.reset();
  } else if (block_count(spec) > 1) {
    const Folded units = folded(spec, h, settings, rules);
    e.obstacle = units.obstacle;
    test_all(units.spec, h, observe(units.spec, h, units.values, rules), e);
    compare_blocks(spec, h, e);
    e.left_out = {0, 0};  // Blocks are left out, not runs.
  } else {
    test_all(spec, h, settings, e);
  }
  e.own = e.p;
  e.effect = e.tests.empty() ? plain_effect(e.settings) : std::optional(e.tests[e.weakest].effect);
  if (settings.empty()) e.obstacle = {ReasonCode::no_both_arms};
  e.obstacle = obstacle_of(spec, h, e);
  return e;
}

Hypothesis requirement_of(const Hypothesis& h, const Requirement& required) {
  Hypothesis part = h;
  part.metric = required.metric;
  part.direction = required.direction;
  part.margin = required.margin;
  part.smallest_effect = {};
  part.method = Method::automatic;
  part.requirements.clear();
  return part;
}

Estimate estimate_whole(const StudySpec& spec, const Hypothesis& h, const RunsOf& runs_of) {
  Estimate e = estimate(spec, h, runs_of(h.metric));
  std::vector<PValues> parts = {e.own};
  for (const Requirement& required : h.requirements) {
    RequiredPart part{requirement_of(h, required), {}};
    part.estimate = estimate(spec, part.about, runs_of(required.metric));
    if (e.obstacle.empty() && !part.estimate.obstacle.empty())
      e.obstacle = {ReasonCode::of_required,
                    {{"metric", required.metric}, {"why", std::vector{part.estimate.obstacle}}}};
    for (const Reason& warning : part.estimate.warnings)
      e.warnings.push_back({ReasonCode::about, {{"about", required.metric}, {"what", std::vector{warning}}}});
    parts.push_back(part.estimate.p);
    e.required.push_back(std::move(part));
  }
  e.p = in_every(parts);
  return e;
}

namespace {

constexpr std::size_t most_settings = 40;
constexpr double described_level = 0.95;

SettingResult alone(const StudySpec& spec, const Hypothesis& h, const Cell& levels, std::span<const RunValue> runs,
                    std::vector<stats::EffectAt>& effects) {
  Hypothesis here = h;
  here.where.insert(levels.begin(), levels.end());
  std::vector<RunValue> own;
  std::ranges::copy_if(runs, std::back_inserter(own), [&](const RunValue& run) { return matches(*run.cell, levels); });
  const Estimate e = estimate(spec, here, own);
  SettingResult result{levels, e.effect, std::nullopt, std::nullopt, 0};
  effects.push_back({e.effect.value_or(0), 0});
  if (e.tests.empty()) return result;
  const Test& test = e.tests.front();
  if (e.effect && test.standard_error) effects.back().error = *test.standard_error;
  const stats::Interval interval = test.interval(described_level);
  result.low = interval.low;
  result.high = interval.high;
  if (interval.low || interval.high) result.level = described_level;
  return result;
}

}  // namespace

InSettings in_settings(const StudySpec& spec, const Hypothesis& h, std::span<const RunValue> runs) {
  InSettings in;
  if (h.over != Over::average || h.kind == HypothesisKind::crossover) return in;
  const std::vector<Setting> settings = observe(spec, h, {}, {});
  if (settings.size() < 2 || settings.size() > most_settings) return in;
  if (block_count(spec) > 1) {
    for (const SettingSummary& one : estimate(spec, h, runs).settings)
      in.results.push_back({one.levels, one.effect, std::nullopt, std::nullopt, 0});
    return in;
  }
  std::vector<stats::EffectAt> effects;
  for (const Setting& setting : settings) in.results.push_back(alone(spec, h, setting.levels, runs, effects));
  const auto spread = stats::random_effects(effects, described_level);
  if (!spread) return in;
  const auto by_effect = [](const auto& a, const auto& b) { return a.effect < b.effect; };
  const auto [lowest, highest] = std::ranges::minmax_element(effects, by_effect);
  in.spread = Heterogeneity{static_cast<int>(effects.size()),
                            lowest->effect,
                            highest->effect,
                            spread->i2,
                            spread->predicted.low,
                            spread->predicted.high};
  return in;
}

}  // namespace kernel

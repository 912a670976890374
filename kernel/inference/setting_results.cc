#include "kernel/inference/setting_results.h"

#include <algorithm>

#include "kernel/domain/cells.h"
#include "kernel/evidence/blocks.h"
#include "kernel/inference/estimate.h"

namespace kernel {

namespace {

constexpr std::size_t most_settings = 40;
constexpr double described_level = 0.95;

SettingResult alone(const StudySpec& spec, const Hypothesis& h, const Cell& levels, std::span<const RunValue> runs) {
  Hypothesis here = h;
  here.where.insert(levels.begin(), levels.end());
  std::vector<RunValue> own;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(own),
               [&](const RunValue& run) { return matches(*run.cell, levels); });
  const Estimate e = estimate(spec, here, own);
  SettingResult result{levels, e.effect, std::nullopt, std::nullopt, 0};
  if (e.tests.empty()) return result;
  const stats::Interval interval = e.tests.front().interval(described_level);
  result.low = interval.low;
  result.high = interval.high;
  if (interval.low || interval.high) result.level = described_level;
  return result;
}

}  // namespace

std::vector<SettingResult> setting_results(const StudySpec& spec, const Hypothesis& h, std::span<const RunValue> runs) {
  if (h.over != Over::average || h.kind == HypothesisKind::crossover) return {};
  const std::vector<Setting> settings = observe(spec, h, {});
  if (settings.size() < 2 || settings.size() > most_settings) return {};
  std::vector<SettingResult> results;
  if (block_count(spec) > 1) {
    for (const SettingSummary& one : estimate(spec, h, runs).settings)
      results.push_back({one.levels, one.effect, std::nullopt, std::nullopt, 0});
    return results;
  }
  for (const Setting& setting : settings) results.push_back(alone(spec, h, setting.levels, runs));
  return results;
}

}  // namespace kernel

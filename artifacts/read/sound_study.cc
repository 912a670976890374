#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "artifacts/read/record.h"

namespace artifacts {

using kernel::Study;

namespace {

constexpr int most_replicates = 100'000, most_carried = 100;

bool is_sound(const kernel::Factor& factor) {
  if (!factor.range) return true;
  const kernel::Range& range = *factor.range;
  return factor.baseline && std::isfinite(range.low) && std::isfinite(range.high) && range.low < range.high &&
         (!range.log || range.low > 0) && std::ranges::all_of(factor.levels, [](const auto& level) {
           return level.value.number.has_value() && level.bundle.empty();
         });
}

bool is_sound(const kernel::StudySpec& spec, const kernel::Fidelity& fidelity) {
  const kernel::Factor* factor = spec.factor(fidelity.factor);
  return factor && !factor->range && !factor->levels.empty() && fidelity.eta >= 2 && fidelity.eta <= 10;
}

/// More than a machine could run, and few enough to compute.
constexpr double most_cells = 1e5;
constexpr double most_planned = 1e7;

bool names_levels(const kernel::StudySpec& spec, const kernel::Cell& cell) {
  return std::ranges::all_of(cell, [&](const auto& entry) {
    const kernel::Factor* factor = spec.factor(entry.first);
    return factor && factor->level(entry.second);
  });
}

bool is_sound(const kernel::StudySpec& spec, const kernel::Hypothesis& h) {
  const auto known = [&](const kernel::Requirement& r) { return spec.metric(r.metric) != nullptr; };
  const kernel::Factor* along = spec.factor(h.along);
  const auto is_level = [&](const std::string& step) { return along && along->level(step); };
  const bool steps = h.kind == kernel::HypothesisKind::interaction || h.kind == kernel::HypothesisKind::crossover;
  const auto in_a_block = [&](const std::string& factor) {
    return h.treatment.contains(factor) || h.control.contains(factor) || h.where.contains(factor) || h.along == factor;
  };
  if (std::ranges::any_of(spec.design.blocks, in_a_block)) return false;
  return spec.metric(h.metric) && names_levels(spec, h.treatment) && names_levels(spec, h.control) &&
         names_levels(spec, h.where) && (along || (h.along.empty() && h.kind == kernel::HypothesisKind::compare)) &&
         (!steps || h.steps.size() >= 2) && std::ranges::all_of(h.steps, is_level) &&
         std::ranges::all_of(h.requirements, known);
}

/// Whether every node has a unique name and only earlier parents.
bool is_grown(const std::vector<kernel::Node>& nodes) {
  std::set<std::string> before;
  for (const kernel::Node& node : nodes) {
    const bool hangs =
        std::ranges::all_of(node.parents, [&](const std::string& parent) { return before.contains(parent); });
    if (!hangs || node.id.empty() || !before.insert(node.id).second) return false;
  }
  return true;
}

/// None, or two metrics that every run reports, the primary one first, of a search that can be for two.
bool has_sound_objectives(const kernel::StudySpec& spec) {
  if (spec.objectives.empty()) return true;
  const auto sound = [&](const kernel::Objective& objective) {
    const kernel::Metric* metric = spec.metric(objective.metric);
    return metric && !metric->derived && std::isfinite(objective.limit.value_or(0)) && std::isfinite(objective.margin);
  };
  return spec.objectives.size() == 2 && std::ranges::all_of(spec.objectives, sound) &&
         spec.metric(spec.objectives[0].metric)->primary && spec.objectives[0].metric != spec.objectives[1].metric &&
         spec.kind == kernel::StudyKind::optimize && spec.design.search == kernel::SearchRule::model && !spec.code &&
         !spec.fidelity;
}

/// Whether ranges, fidelity and confirmation are valid.
bool can_be_searched(const kernel::StudySpec& spec) {
  if (!std::ranges::all_of(spec.factors, [](const auto& factor) { return is_sound(factor); })) return false;
  if (!has_sound_objectives(spec)) return false;
  if (spec.kind == kernel::StudyKind::test) return true;
  const auto& confirm = spec.design.confirm;
  return confirm && confirm->top >= 1 && confirm->top <= most_carried && confirm->replicates >= 1 &&
         confirm->replicates <= most_replicates && confirm->most >= 0 && confirm->most <= most_replicates &&
         spec.design.replicates_min >= 1 && spec.design.replicates_min <= most_replicates &&
         spec.design.replicates_max <= most_replicates &&
         (!spec.code ||
          (spec.factor(kernel::code_factor) && spec.code->versions <= most_carried * 10 && spec.code->floor >= 0 &&
           spec.code->floor <= most_carried * 10 && spec.code->retest >= 0 && spec.code->retest <= most_carried)) &&
         (!spec.fidelity || is_sound(spec, *spec.fidelity));
}

bool is_sound(const Study& study) {
  const kernel::StudySpec& spec = study.spec;
  double cells = 1;
  for (const kernel::Factor& factor : spec.factors) {
    if (factor.levels.empty() || (factor.baseline && !factor.level(*factor.baseline))) return false;
    // Confirmed hypotheses name every factor, or leave those without a baseline to be crossed.
    const bool crossed = spec.kind == kernel::StudyKind::test ? !factor.range : !factor.baseline;
    cells *= crossed ? static_cast<double>(factor.levels.size()) : 1;
  }
  if (!can_be_searched(spec)) return false;
  const auto known = [&](const std::string& factor) { return spec.factor(factor) != nullptr; };
  if (!std::ranges::all_of(spec.design.blocks, known)) return false;
  const double replicates = std::max({spec.design.replicates_max, spec.design.replicates_min, spec.design.pilot, 0});
  const bool primary = std::ranges::any_of(spec.metrics, [](const kernel::Metric& m) { return m.primary; });
  const bool captured = claims_nothing(study);
  return (primary || captured) && cells <= most_cells && cells * replicates <= most_planned &&
         std::ranges::all_of(study.hypotheses,
                             [&](const kernel::HypothesisRecord& record) { return is_sound(spec, record.hypothesis); });
}

}  // namespace

bool claims_nothing(const Study& study) {
  return study.spec.captured() && study.spec.hypotheses.empty() && study.hypotheses.empty() &&
         study.experiments.empty() && study.claims.empty();
}

bool can_be_computed(const Study& study, const kernel::Registration& r) {
  double planned = 0;
  for (const int n : r.replicates) planned += std::max(n, 0);
  return r.cells.size() == r.replicates.size() && planned <= most_planned &&
         std::ranges::all_of(r.hypotheses, [&](const kernel::Hypothesis& h) {
           return study.hypothesis(h.id) && is_sound(study.spec, h);
         });
}

bool can_be_computed(const Study& study) {
  return is_sound(study) && is_grown(study.nodes) &&
         std::ranges::all_of(study.experiments, [&](const auto& e) { return can_be_computed(study, e.registration); });
}

}  // namespace artifacts

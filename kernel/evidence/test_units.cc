#include <algorithm>
#include <cmath>
#include <map>

#include "kernel/domain/cells.h"
#include "kernel/evidence/blocks.h"
#include "kernel/evidence/sample.h"

namespace kernel {

namespace {

using Cells = std::vector<const ObservedCell*>;

std::int64_t count_of(const std::vector<double>& values) {
  return static_cast<std::int64_t>(values.size());
}

Units refused(Reason why) {
  return {std::nullopt, std::move(why), 0};
}

bool constant(const ObservedCell& cell) {
  const auto differs = [&](const auto& v) { return v.value != cell.values.front().value; };
  return std::ranges::none_of(cell.values, differs);
}

Reason never_varies_across(const StudySpec& spec, const Hypothesis& h) {
  // Earlier programs advised to declare the metric deterministic.
  const ReasonCode code = spec.design.reading ? ReasonCode::never_varied_units : ReasonCode::never_varied_across;
  return {code, {{"metric", h.metric}, {"unit", unit_name(spec, h)}}};
}

Reason never_varies_in_cell(const StudySpec& spec, const Hypothesis& h) {
  const ReasonCode code = spec.design.reading ? ReasonCode::never_varied_runs : ReasonCode::never_varied_in_cell;
  return {code, {{"metric", h.metric}}};
}

/// One cell of a contrast, which is added to the treatment or the control, or subtracted.
struct Term {
  const ObservedCell* cell = nullptr;
  bool treatment = true;
  double sign = 1;
};

/// In an interaction, the treatment is the arms' difference at the later level, the control that at the earlier one.
std::vector<Term> terms_of(const Hypothesis& h, const Cells& treatment, const Cells& control) {
  std::vector<Term> terms;
  const bool interaction = h.kind == HypothesisKind::interaction;
  const auto later = [&](const ObservedCell& cell) { return cell.cell.at(h.along) == h.steps.back(); };
  for (const ObservedCell* cell : treatment) terms.push_back({cell, !interaction || later(*cell), 1});
  for (const ObservedCell* cell : control)
    terms.push_back({cell, interaction && later(*cell), interaction ? -1.0 : 1.0});
  return terms;
}

bool all_cut(const std::vector<char>& treatment, const std::vector<char>& control) {
  const auto cut = [](char c) { return c != 0; };
  return !treatment.empty() && std::ranges::all_of(treatment, cut) && std::ranges::all_of(control, cut);
}

/// Number of cells averaged on one side.
double averaged(const Hypothesis& h, const std::vector<Term>& terms, bool treatment) {
  const auto count = std::ranges::count_if(terms, [&](const Term& t) { return t.treatment == treatment; });
  return static_cast<double>(count) / (h.kind == HypothesisKind::interaction ? 2 : 1);
}

Units paired(const StudySpec& spec, const Hypothesis& h, const std::vector<Term>& terms, const UnitRules& rules) {
  struct Sums {
    double treatment = 0, control = 0;
    std::size_t treatments = 0, controls = 0;
    bool treatment_cut = false, control_cut = false;
  };
  std::map<std::uint64_t, Sums> seeds;
  std::size_t treatments = 0;
  for (const Term& term : terms) {
    treatments += term.treatment ? 1 : 0;
    for (const auto& v : term.cell->values) {
      Sums& at = seeds[v.seed];
      (term.treatment ? at.treatment : at.control) += term.sign * (rules.logarithms ? std::log(v.value) : v.value);
      ++(term.treatment ? at.treatments : at.controls);
      if (v.censored) (term.treatment ? at.treatment_cut : at.control_cut) = true;
    }
  }
  Units units;
  PairedSample sample;
  for (const auto& [seed, at] : seeds) {
    if (at.treatments != treatments || at.controls != terms.size() - treatments) {
      // If a whole arm lacks the seed, another hypothesis needed more replicates of a shared control.
      if (at.treatments > 0 && at.controls > 0) ++units.incomplete;
      continue;
    }
    sample.treatment.push_back(at.treatment / averaged(h, terms, true));
    sample.control.push_back(at.control / averaged(h, terms, false));
    if (!rules.censored) continue;
    sample.treatment_cut.push_back(at.treatment_cut);
    sample.control_cut.push_back(at.control_cut);
  }
  if (sample.treatment.size() < 2) {
    units.obstacle = {ReasonCode::few_pairs, {{"units", count_of(sample.treatment)}, {"unit", unit_name(spec, h)}}};
    return units;
  }
  if (!stats::paired_contrast(sample.treatment, sample.control)) {
    units.obstacle = {ReasonCode::values_too_large};
    return units;
  }
  const auto t = stats::moments(sample.treatment), c = stats::moments(sample.control);
  if (!rules.may_be_constant && t && c && t->variance == 0 && c->variance == 0)
    units.obstacle = never_varies_across(spec, h);
  if (all_cut(sample.treatment_cut, sample.control_cut)) units.obstacle = {ReasonCode::all_cut_off};
  units.sample = std::move(sample);
  return units;
}

Units independent(const StudySpec& spec, const Hypothesis& h, const std::vector<Term>& terms, const UnitRules& rules) {
  CellSample sample;
  // Twice the mean of the added cells minus twice the mean of the subtracted ones is a difference of differences.
  if (h.kind == HypothesisKind::interaction) sample.scale = 2;
  bool varies = false;
  for (const Term& term : terms) {
    const bool adds = term.treatment == (term.sign > 0);
    std::vector<double> list;
    for (const auto& v : term.cell->values) {
      list.push_back(rules.logarithms ? std::log(v.value) : v.value);
      if (rules.censored) (adds ? sample.treatment_cut : sample.control_cut).push_back(v.censored);
    }
    if (list.size() < 2) return refused({ReasonCode::few_values_in_cell, {{"cell", words_of(term.cell->cell, ", ")}}});
    const auto m = stats::moments(list);
    if (!m) return refused({ReasonCode::values_too_large});
    varies = varies || m->variance > 0;
    (adds ? sample.treatment : sample.control).push_back(std::move(list));
    (adds ? sample.treatment_moments : sample.control_moments).push_back(*m);
  }
  Units units;
  if (!varies && !rules.may_be_constant) units.obstacle = never_varies_in_cell(spec, h);
  if (all_cut(sample.treatment_cut, sample.control_cut)) units.obstacle = {ReasonCode::all_cut_off};
  units.sample = std::move(sample);
  return units;
}

std::optional<double> place(const StudySpec& spec, const Hypothesis& h, const Cell& cell) {
  const Factor* factor = spec.factor(h.along);
  const auto entry = cell.find(h.along);
  const Level* level = factor && entry != cell.end() ? factor->level(entry->second) : nullptr;
  if (!level || !level->value.number) return std::nullopt;
  const double x = *level->value.number;
  if (!log_of_factor(h.slope_scale)) return x;
  return x > 0 ? std::optional(std::log(x)) : std::nullopt;
}

/// The mean of the lines' slopes; none if a line has only one level.
std::optional<double> plain_slope(const std::vector<std::vector<stats::Point>>& lines) {
  double sum = 0;
  for (const auto& line : lines) {
    const std::optional<double> slope = stats::least_squares_slope(line);
    if (!slope) return std::nullopt;
    sum += *slope;
  }
  return sum / static_cast<double>(lines.size());
}

/// Seeds as units: a seed's value is the mean of its slopes on all lines. Seeds that lack a run are left out.
Units slopes_by_seed(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings, LineSample sample) {
  const bool log_y = log_of_metric(h.slope_scale);
  std::map<std::uint64_t, std::vector<std::vector<stats::Point>>> seeds;
  std::size_t cells = 0;
  for (std::size_t line = 0; line < settings.size(); ++line) {
    for (const ObservedCell& cell : settings[line].treatment) {
      ++cells;
      for (const auto& v : cell.values) {
        auto& at = seeds[v.seed];
        at.resize(settings.size());
        at[line].push_back({place(spec, h, cell.cell).value_or(0), log_y ? std::log(v.value) : v.value});
      }
    }
  }
  Units units;
  for (const auto& [seed, own] : seeds) {
    std::size_t points = 0;
    for (const auto& line : own) points += line.size();
    if (points != cells) {
      ++units.incomplete;
      continue;
    }
    const std::optional<double> slope = plain_slope(own);
    if (!slope) return refused({ReasonCode::slope_of_one_level});
    sample.per_seed.push_back(*slope);
  }
  const auto moments = stats::moments(sample.per_seed);
  if (!moments || moments->n < 2) {
    units.obstacle = {ReasonCode::few_slopes, {{"units", count_of(sample.per_seed)}, {"unit", unit_name(spec)}}};
    return units;
  }
  const double n = static_cast<double>(moments->n);
  sample.fit.slope = {moments->mean, std::sqrt(moments->variance / n), n - 1};
  sample.replicates = n;
  if (moments->variance == 0) units.obstacle = never_varies_across(spec, h);
  units.sample = std::move(sample);
  return units;
}

Units lines(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings, bool exact) {
  const bool log_y = log_of_metric(h.slope_scale);
  LineSample sample;
  sample.reference = h.slope_value;
  double runs = 0, points = 0;
  bool replicated = false, varies = false;
  for (const Setting& setting : settings) {
    sample.lines.emplace_back();
    for (const ObservedCell& cell : setting.treatment) {
      const std::optional<double> x = place(spec, h, cell.cell);
      if (!x)
        return refused({log_of_factor(h.slope_scale) ? ReasonCode::level_not_positive : ReasonCode::level_no_number,
                        {{"factor", h.along}}});
      if (exact && cell.values.empty()) return refused({ReasonCode::cell_without_value});
      const std::size_t used = exact ? 1 : cell.values.size();
      for (std::size_t i = 0; i < used; ++i) {
        const double y = cell.values[i].value;
        sample.lines.back().push_back({*x, log_y ? std::log(y) : y});
      }
      runs += static_cast<double>(used);
      points += 1;
      replicated = replicated || used > 1;
      varies = varies || (used > 1 && !constant(cell));
    }
  }
  if (exact) {
    const std::optional<double> slope = plain_slope(sample.lines);
    if (!slope) return refused({ReasonCode::slope_of_one_level});
    return {ExactSample{*slope, h.slope_value}, {}, 0};
  }
  // Seeds, and blocks, may differ in their slopes: then runs are not the units. Earlier programs saw that only where
  // one seed may have the same effect on all crossed settings, or on all points of a line that were trained once.
  const bool one_line = settings.size() == 1 && spec.stages.empty() && !in_blocks(spec);
  if (spec.design.pairing == Pairing::seed && (spec.design.rule == VerdictRule::one_interval || !one_line))
    return slopes_by_seed(spec, h, settings, std::move(sample));
  const std::optional<stats::SlopeFit> fit = stats::mean_slope(sample.lines);
  if (!fit) return refused({ReasonCode::slope_of_few_runs});
  sample.fit = *fit;
  sample.replicates = runs / points;
  Units units;
  if ((replicated && !varies) || fit->residual_variance == 0) units.obstacle = never_varies_in_cell(spec, h);
  units.sample = std::move(sample);
  return units;
}

Units exactly(const Hypothesis& h, const std::vector<Term>& terms) {
  double treatment = 0, control = 0;
  for (const Term& term : terms) {
    if (term.cell->values.empty()) return refused({ReasonCode::cell_without_value});
    (term.treatment ? treatment : control) +=
        term.sign * term.cell->values.front().value / averaged(h, terms, term.treatment);
  }
  return {ExactSample{treatment, control}, {}, 0};
}

}  // namespace

Units units_of(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings, const UnitRules& rules) {
  const Cells treatment = cells_in(settings, &Setting::treatment), control = cells_in(settings, &Setting::control);
  const bool slope = !h.has_arms();
  if (treatment.empty() || (!slope && control.empty())) return refused({ReasonCode::no_cell});

  const bool needs_positive = on_logarithms(h, rules);
  bool deviates = false;
  for (const Cells* arm : {&treatment, &control}) {
    for (const ObservedCell* cell : *arm) {
      deviates = deviates || !constant(*cell);
      const auto no_logarithm = [](const auto& v) { return v.value <= 0; };
      if (needs_positive && std::ranges::any_of(cell->values, no_logarithm))
        return refused({ReasonCode::no_logarithm, {{"metric", h.metric}}});
    }
  }
  if (rules.exact && deviates) return refused({ReasonCode::varied_in_cell, {{"metric", h.metric}}});
  if (slope) return lines(spec, h, settings, rules.exact);
  const std::vector<Term> terms = terms_of(h, treatment, control);
  if (rules.exact) return exactly(h, terms);
  if (rules.single_cells && spec.design.pairing == Pairing::none && (treatment.size() != 1 || control.size() != 1))
    return refused({ReasonCode::ranks_of_crossed_runs});
  return spec.design.pairing == Pairing::seed ? paired(spec, h, terms, rules) : independent(spec, h, terms, rules);
}

}  // namespace kernel

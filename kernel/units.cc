#include "kernel/units.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace kernel {

namespace {

using Cells = std::vector<const ObservedCell*>;

Units refused(std::string why) {
  return {std::nullopt, std::move(why), 0};
}

bool constant(const ObservedCell& cell) {
  const auto differs = [&](const auto& v) { return v.value != cell.values.front().value; };
  return std::none_of(cell.values.begin(), cell.values.end(), differs);
}

std::string never_varies(const std::string& metric, const std::string& what) {
  return fmt::format(
      "{} never varied{}, so nothing says how far other runs could lie: declare `deterministic: true` if that is its "
      "nature, or give the runs something that differs by seed",
      metric, what);
}

std::string name_of(const Cell& cell) {
  std::string out;
  for (const auto& [factor, level] : cell) out += (out.empty() ? "" : ", ") + factor + "=" + level;
  return out;
}

Units paired(const Hypothesis& h, const Cells& treatment, const Cells& control, bool log) {
  struct Sums {
    double treatment = 0, control = 0;
    std::size_t treatments = 0, controls = 0;
  };
  std::map<std::uint64_t, Sums> seeds;
  for (const ObservedCell* cell : treatment) {
    for (const auto& v : cell->values) {
      Sums& at = seeds[v.seed];
      at.treatment += log ? std::log(v.value) : v.value;
      ++at.treatments;
    }
  }
  for (const ObservedCell* cell : control) {
    for (const auto& v : cell->values) {
      Sums& at = seeds[v.seed];
      at.control += log ? std::log(v.value) : v.value;
      ++at.controls;
    }
  }
  Units units;
  PairedSample sample;
  for (const auto& [seed, at] : seeds) {
    if (at.treatments != treatment.size() || at.controls != control.size()) {
      // A whole arm without this seed is a shared control that another hypothesis wanted more of.
      if (at.treatments > 0 && at.controls > 0) ++units.incomplete;
      continue;
    }
    sample.treatment.push_back(at.treatment / static_cast<double>(treatment.size()));
    sample.control.push_back(at.control / static_cast<double>(control.size()));
  }
  if (sample.treatment.size() < 2) {
    units.obstacle = fmt::format("only {} seed(s) have a value in every cell of both arms; a paired test needs 2",
                                 sample.treatment.size());
    return units;
  }
  if (!stats::paired_contrast(sample.treatment, sample.control)) {
    units.obstacle = "the values are too large to compute with";
    return units;
  }
  const auto t = stats::moments(sample.treatment), c = stats::moments(sample.control);
  if (t && c && t->variance == 0 && c->variance == 0) units.obstacle = never_varies(h.metric, " across seeds");
  units.sample = std::move(sample);
  return units;
}

Units independent(const Hypothesis& h, const Cells& treatment, const Cells& control, bool log) {
  CellSample sample;
  bool varies = false;
  const auto add = [&](const Cells& arm, auto& values, auto& moments) -> std::string {
    for (const ObservedCell* cell : arm) {
      std::vector<double> list;
      for (const auto& v : cell->values) list.push_back(log ? std::log(v.value) : v.value);
      if (list.size() < 2) return fmt::format("fewer than 2 runs have a value in the cell {}", name_of(cell->cell));
      const auto m = stats::moments(list);
      if (!m) return "the values are too large to compute with";
      varies = varies || m->variance > 0;
      values.push_back(std::move(list));
      moments.push_back(*m);
    }
    return "";
  };
  std::string why = add(treatment, sample.treatment, sample.treatment_moments);
  if (why.empty()) why = add(control, sample.control, sample.control_moments);
  if (!why.empty()) return refused(why);
  Units units;
  if (!varies) units.obstacle = never_varies(h.metric, " within a cell");
  units.sample = std::move(sample);
  return units;
}

std::optional<double> place(const StudySpec& spec, const Hypothesis& h, const Cell& cell) {
  const Factor* factor = spec.factor(h.along);
  const auto entry = cell.find(h.along);
  const Level* level = factor && entry != cell.end() ? factor->level(entry->second) : nullptr;
  if (!level || !level->value.number) return std::nullopt;
  const double x = *level->value.number;
  if (h.slope_scale != SlopeScale::loglog) return x;
  return x > 0 ? std::optional(std::log(x)) : std::nullopt;
}

/// Seeds as units: each gives a slope on every line, and their mean is its value. Seeds that lack a run are left out.
Units slopes_by_seed(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings, LineSample sample) {
  const bool log_y = h.slope_scale != SlopeScale::linear;
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
    double sum = 0;
    for (const auto& line : own) {
      const std::optional<double> slope = stats::least_squares_slope(line);
      if (!slope) return refused("a slope needs two different levels");
      sum += *slope;
    }
    sample.per_seed.push_back(sum / static_cast<double>(own.size()));
  }
  const auto moments = stats::moments(sample.per_seed);
  if (!moments || moments->n < 2) {
    units.obstacle = fmt::format("only {} seed(s) have a value in every cell; slopes over crossed settings need 2",
                                 sample.per_seed.size());
    return units;
  }
  const double n = static_cast<double>(moments->n);
  sample.fit.slope = {moments->mean, std::sqrt(moments->variance / n), n - 1};
  sample.replicates = n;
  if (moments->variance == 0) units.obstacle = never_varies(h.metric, " across seeds");
  units.sample = std::move(sample);
  return units;
}

Units lines(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings, bool exact) {
  const bool log_y = h.slope_scale != SlopeScale::linear;
  LineSample sample;
  sample.reference = h.slope_value;
  double runs = 0, points = 0;
  bool replicated = false, varies = false;
  for (const Setting& setting : settings) {
    sample.lines.emplace_back();
    for (const ObservedCell& cell : setting.treatment) {
      const std::optional<double> x = place(spec, h, cell.cell);
      if (!x)
        return refused(fmt::format("{} has a level that is no {}number", h.along,
                                   h.slope_scale == SlopeScale::loglog ? "positive " : ""));
      if (exact && cell.values.empty()) return refused("a cell has no value");
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
    double sum = 0;
    for (const auto& line : sample.lines) {
      const std::optional<double> slope = stats::least_squares_slope(line);
      if (!slope) return refused("a slope needs two different levels");
      sum += *slope;
    }
    return {ExactSample{sum / static_cast<double>(sample.lines.size()), h.slope_value}, "", 0};
  }
  // Crossed settings share what a seed does to them; so do the points of a line that were trained once.
  if (spec.design.pairing == Pairing::seed && (settings.size() > 1 || !spec.stages.empty()))
    return slopes_by_seed(spec, h, settings, std::move(sample));
  const std::optional<stats::SlopeFit> fit = stats::mean_slope(sample.lines);
  if (!fit) return refused("a slope needs two different levels, and more runs than its lines have ends");
  sample.fit = *fit;
  sample.replicates = runs / points;
  Units units;
  if ((replicated && !varies) || fit->residual_variance == 0) units.obstacle = never_varies(h.metric, " within a cell");
  units.sample = std::move(sample);
  return units;
}

Units exactly(const Cells& treatment, const Cells& control) {
  const auto mean = [](const Cells& arm) -> std::optional<double> {
    std::vector<double> values;
    for (const ObservedCell* cell : arm) {
      if (cell->values.empty()) return std::nullopt;
      values.push_back(cell->values.front().value);
    }
    return stats::mean(values);
  };
  const std::optional<double> t = mean(treatment), c = mean(control);
  if (!t || !c) return refused("a cell has no value");
  return {ExactSample{*t, *c}, "", 0};
}

}  // namespace

TestMethod method_of(const StudySpec& spec, const Hypothesis& h) {
  const Metric* metric = spec.metric(h.metric);
  const bool automatic = h.method == Method::automatic;
  TestMethod method;
  method.exact = h.method == Method::exact || (automatic && metric && metric->deterministic);
  method.rank = h.method == Method::rank && h.kind == HypothesisKind::compare;
  method.log = h.kind == HypothesisKind::compare && !method.exact &&
               (h.method == Method::log_t || (automatic && metric && metric->scale == Scale::log));
  return method;
}

Units units_of(const StudySpec& spec, const Hypothesis& h, std::span<const Setting> settings) {
  const TestMethod method = method_of(spec, h);
  const Cells treatment = cells_in(settings, &Setting::treatment), control = cells_in(settings, &Setting::control);
  const bool slope = h.kind == HypothesisKind::slope;
  if (treatment.empty() || (!slope && control.empty())) return refused("the design has no cell for it");

  const bool needs_positive = method.log || (slope && h.slope_scale != SlopeScale::linear);
  bool deviates = false;
  for (const Cells* arm : {&treatment, &control}) {
    for (const ObservedCell* cell : *arm) {
      deviates = deviates || !constant(*cell);
      const auto no_logarithm = [](const auto& v) { return v.value <= 0; };
      if (needs_positive && std::any_of(cell->values.begin(), cell->values.end(), no_logarithm))
        return refused(fmt::format("{} has a value of 0 or less, which has no logarithm", h.metric));
    }
  }
  if (method.exact && deviates)
    return refused(fmt::format("{} is declared deterministic but varied between runs of one cell", h.metric));
  if (slope) return lines(spec, h, settings, method.exact);
  if (method.exact) return exactly(treatment, control);
  if (method.rank && spec.design.pairing == Pairing::none && (treatment.size() != 1 || control.size() != 1))
    return refused("ranks of unpaired runs compare one cell with one: pair by seed, or test `over: every`");
  return spec.design.pairing == Pairing::seed ? paired(h, treatment, control, method.log)
                                              : independent(h, treatment, control, method.log);
}

}  // namespace kernel

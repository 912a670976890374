#include "artifacts/figures/cell_roles.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"

namespace artifacts {

using kernel::Factor;

namespace {

int contrasts_on(const kernel::Experiment& experiment, const std::string& factor) {
  int count = 0;
  for (const kernel::Hypothesis& h : experiment.registration.hypotheses) {
    const auto t = h.treatment.find(factor), c = h.control.find(factor);
    count += t != h.treatment.end() && c != h.control.end() && t->second != c->second ? 1 : 0;
  }
  return count;
}

CellRoles with_series(const kernel::Experiment& experiment, std::vector<const Factor*> varying, const Factor* x) {
  CellRoles roles;
  roles.x = x;
  const auto take = [&](const Factor* factor) {
    std::erase(varying, factor);
    return factor;
  };
  if (roles.x) take(roles.x);
  const auto most = std::ranges::max_element(varying, [&](const Factor* a, const Factor* b) {
    return contrasts_on(experiment, a->name) < contrasts_on(experiment, b->name);
  });
  if (most != varying.end()) roles.series = take(*most);
  roles.panels = varying;
  return roles;
}

}  // namespace

bool is_numeric(const Factor& factor) {
  const bool type = factor.type == kernel::FactorType::integer || factor.type == kernel::FactorType::number;
  return type && std::ranges::all_of(factor.levels, [](const kernel::Level& level) {
           return level.bundle.empty() && level.value.number && std::isfinite(*level.value.number);
         });
}

std::vector<const Factor*> varying_factors(const kernel::StudySpec& spec, const std::vector<kernel::Cell>& cells) {
  std::vector<const Factor*> varying;
  for (const Factor& factor : spec.factors) {
    std::set<std::string> levels;
    for (const kernel::Cell& cell : cells)
      if (const auto at = cell.find(factor.name); at != cell.end()) levels.insert(at->second);
    if (levels.size() > 1) varying.push_back(&factor);
  }
  return varying;
}

std::size_t level_index(const Factor& factor, const std::string& level) {
  for (std::size_t i = 0; i < factor.levels.size(); ++i)
    if (factor.levels[i].name == level) return i;
  return 0;
}

std::string column_beside_factors(const kernel::Study& study, const std::string& column) {
  const bool taken = tells_scale(study) && study.spec.factor(column);
  return taken ? column + "_of_runs" : column;
}

std::string levels_text(const kernel::Cell& cell, const std::vector<const Factor*>& factors) {
  return joined_text(factors, ", ", [&](const Factor* factor) { return value_in(cell, factor->name); });
}

CellRoles roles_of(const kernel::StudyTerms& study, const kernel::Experiment& experiment, const std::string& metric) {
  const std::vector<const Factor*> varying = varying_factors(study.spec, experiment.registration.cells);
  const Factor* x = nullptr;
  for (const kernel::Hypothesis& h : experiment.registration.hypotheses)
    for (const Factor* factor : varying)
      if (!x && h.metric == metric && h.along == factor->name && is_numeric(*factor)) x = factor;
  for (const Factor* factor : varying)
    if (!x && is_numeric(*factor) && contrasts_on(experiment, factor->name) == 0) x = factor;
  return with_series(experiment, varying, x);
}

CellRoles roles_of_curves(const kernel::StudyTerms& study, const kernel::Experiment& experiment) {
  return with_series(experiment, varying_factors(study.spec, experiment.registration.cells), nullptr);
}

}  // namespace artifacts

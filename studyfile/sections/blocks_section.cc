// `design.blocks`: which factors make the units, and what a study with blocks cannot have.
#include <algorithm>

#include <fmt/format.h>

#include "kernel/evidence/test_units.h"
#include "studyfile/sections/sections.h"

namespace studyfile {
namespace {

using kernel::Hypothesis;

bool is_named_by(const Hypothesis& h, const std::string& factor) {
  return h.treatment.contains(factor) || h.control.contains(factor) || h.where.contains(factor) || h.along == factor;
}

/// The listed hypotheses and the planted one.
std::vector<Hypothesis> tested(const kernel::StudySpec& spec) {
  std::vector<Hypothesis> all = spec.hypotheses;
  if (spec.design.planted) all.push_back(*spec.design.planted);
  return all;
}

/// Why the factor's levels cannot be blocks, and what to do.
std::optional<std::pair<std::string, std::string>> objection(const kernel::Factor& factor, const Draft& draft) {
  const kernel::StudySpec& spec = draft.spec;
  if (factor.baseline)
    return {{fmt::format("`{}` has a baseline, and blocks are a sample of which none is", factor.name),
             "leave the baseline out, or the factor"}};
  for (const Hypothesis& h : tested(spec))
    if (is_named_by(h, factor.name))
      return {{fmt::format("`{}` is named by {}, and arms are compared within blocks", factor.name, h.id),
               "leave it out here, or there"}};
  for (const auto& rule : spec.excludes)
    if (rule.contains(factor.name))
      return {{fmt::format("`{}` is named by a constraint, and every arm runs in every block", factor.name),
               "leave it out here, or there"}};
  for (const kernel::Metric& metric : spec.metrics)
    if (metric.derived && metric.derived->relative_to.contains(factor.name))
      return {{fmt::format("the metric `{}` is held against that of one block", metric.name),
               "derive it within its block"}};
  return std::nullopt;
}

/// Refuses hypotheses for which a block has no mean or no error.
void check_hypothesis(const Value& value, const Hypothesis& h, const Draft& draft) {
  std::vector<std::string> metrics = {h.metric};
  for (const kernel::Requirement& required : h.requirements) metrics.push_back(required.metric);
  for (const std::string& name : metrics)
    if (const kernel::Metric* metric = draft.spec.metric(name); metric && kernel::may_be_cut(*metric))
      value.refuse(fmt::format("`{}` may be cut off, and a block's mean of such values is not known", name),
                   "test another metric, or leave the blocks out");
  if (h.method == kernel::Method::exact)
    value.refuse(fmt::format("{} is compared exactly, and blocks are a sample of many", h.id),
                 "leave its `method` out, or the blocks");
}

}  // namespace

void read_blocks(const Value& value, Draft& draft) {
  const auto items = value.list("factors");
  if (!items || items->empty()) return;
  if (draft.spec.kind != kernel::StudyKind::test)
    return value.refuse_key("a selection ranks cells, not blocks", "leave it out");
  std::vector<std::string>& blocks = draft.spec.design.blocks;
  for (const Value& item : *items) {
    const kernel::Factor* factor = named_factor(item, draft);
    if (!factor) continue;
    if (is_among(blocks, factor->name)) {
      item.refuse("`" + factor->name + "` is there twice", "name it once");
      continue;
    }
    if (const auto why = objection(*factor, draft)) item.refuse(why->first, why->second);
    blocks.push_back(factor->name);
  }
  for (const Hypothesis& h : tested(draft.spec)) check_hypothesis(value, h, draft);
  const auto& metrics = draft.spec.metrics;
  const auto primary = std::ranges::find_if(metrics, &kernel::Metric::primary);
  if (!draft.spec.hypotheses.empty() || primary == metrics.end()) return;
  Hypothesis derived;
  derived.metric = primary->name;
  check_hypothesis(value, derived, draft);
}

}  // namespace studyfile

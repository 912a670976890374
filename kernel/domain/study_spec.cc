#include "kernel/domain/study_spec.h"

#include <algorithm>
#include <stdexcept>

namespace kernel {

namespace {
template <typename T>
const T* named(const std::vector<T>& list, const std::string& name) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const T& item) { return item.name == name; });
  return it == list.end() ? nullptr : &*it;
}
}  // namespace

const Level* Factor::level(const std::string& level_name) const {
  return named(levels, level_name);
}
const Factor* StudySpec::factor(const std::string& name) const {
  return named(factors, name);
}
const Metric* StudySpec::metric(const std::string& name) const {
  return named(metrics, name);
}

const TierSpec* EvaluatorSpec::tier(Tier which) const {
  const std::optional<TierSpec>& one = which == Tier::test ? test : validation;
  return which != Tier::none && one ? &*one : nullptr;
}

bool StudySpec::from_evaluator(const std::string& metric_name) const {
  const Metric* known = metric(metric_name);
  return known && std::holds_alternative<FromEvaluator>(known->source);
}

const StageSpec* StudySpec::stage(const std::string& name) const {
  if (setup && setup->name == name) return &*setup;
  return named(stages, name);
}

const CommandTemplate& StudySpec::command_of(const std::string& stage_name) const {
  const StageSpec* own = stage(stage_name);
  return own ? own->run : run;
}

const Resources& StudySpec::resources_of(const std::string& stage_name) const {
  const StageSpec* own = stage(stage_name);
  return own ? own->resources : resources;
}

const Metric& StudySpec::reported(const Metric& wanted) const {
  const Metric* from = wanted.derived ? metric(wanted.derived->from) : nullptr;
  return from ? *from : wanted;
}

const Metric& StudySpec::primary() const {
  for (const Metric& m : metrics)
    if (m.primary) return m;
  throw std::logic_error("a study without a primary metric");
}

bool is_about(const Hypothesis& h, const std::string& metric) {
  return h.metric == metric || std::any_of(h.requirements.begin(), h.requirements.end(),
                                           [&](const Requirement& required) { return required.metric == metric; });
}

}  // namespace kernel

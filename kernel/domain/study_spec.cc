#include "kernel/domain/study_spec.h"

#include <stdexcept>

namespace kernel {

bool Hypothesis::may_judge_relevance() const {
  const bool open_side =
      direction == Direction::less || direction == Direction::greater || direction == Direction::different;
  return open_side && kind != HypothesisKind::crossover && (!margin || margin->value == 0);
}

bool Hypothesis::judges_relevance() const {
  return may_judge_relevance() && is_person(by) && smallest_effect.kind != SmallestEffect::Kind::sd;
}

const TierSpec* EvaluatorSpec::tier(Tier which) const {
  const std::optional<TierSpec>& one = which == Tier::test ? test : validation;
  return which != Tier::none && one ? &*one : nullptr;
}

bool StudySpec::passes_seed() const {
  const auto mentions = [](const CommandTemplate& command) {
    return std::ranges::any_of(command.words, [](const std::string& word) { return word.find("{seed}") != word.npos; });
  };
  return mentions(run) || std::ranges::any_of(stages, mentions, &StageSpec::run);
}

bool StudySpec::from_evaluator(const std::string& metric_name) const {
  const Metric* known = metric(metric_name);
  return known && std::holds_alternative<FromEvaluator>(known->source);
}

const StageSpec* StudySpec::stage(const std::string& name) const {
  if (setup && setup->name == name) return &*setup;
  return find_by(stages, &StageSpec::name, name);
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
  if (const Metric* found = find_by(metrics, &Metric::primary, true)) return *found;
  throw std::logic_error("a study without a primary metric");
}

bool is_about(const Hypothesis& h, const std::string& metric) {
  return h.metric == metric || find_by(h.requirements, &Requirement::metric, metric);
}

}  // namespace kernel

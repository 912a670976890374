#include "kernel/evidence/observations.h"
#include "studyfile/hypotheses/hypotheses.h"

namespace studyfile {
namespace {

using kernel::Direction;

std::optional<Value> either(const Fields& item, const Fields& test, std::string_view key) {
  const auto inside = test.find(key), beside = item.find(key);
  if (inside && beside) beside->refuse_key("`test` has one too", "keep the one in `test`");
  return inside ? inside : beside;
}

/// What decides whether a margin is meaningful.
struct MarginUse {
  Direction direction;
  kernel::Goal goal = kernel::Goal::minimize;
  std::optional<double> slope;  ///< The value that a slope is compared with; empty for comparisons.
  bool log = false;             ///< Means are compared on a logarithmic scale.
};

/// Records what is wrong with the `margin` of `test`, or that it is missing.
void check_margin(const std::optional<kernel::Margin>& margin, const MarginUse& use, const Fields& test) {
  const std::string direction = "`direction: " + std::string(name(use.direction)) + "`";
  const auto given = test.find("margin");
  if (!given) {
    if (use.direction == Direction::equal)
      test.find("direction")
          ->refuse("no margin says how near is near enough", "add `margin: {absolute: …}` or `margin: {relative: …}`");
    return;
  }
  if (use.direction == Direction::different)
    return given->refuse_key("a margin contradicts " + direction,
                             "leave it out, or choose `less`, `greater` or `equal`");
  if (!margin) return;
  const bool relative = margin->kind == kernel::Margin::Kind::relative;
  if (margin->value == 0 && use.direction == Direction::equal)
    return given->refuse("no two means are equal to within 0", "give a margin above 0");
  if (relative && use.slope == 0.0)
    return given->refuse("a margin relative to a slope of 0 is no margin", "write `margin: {absolute: …}`");
  if (!relative && use.log && margin->value > 0)
    return given->refuse("a logarithmic scale knows ratios only", "write `margin: {relative: …}`");
  const bool shrinks =
      use.direction == Direction::less || (use.direction == Direction::not_worse && use.goal == kernel::Goal::maximize);
  if (relative && shrinks && !use.slope && margin->value >= 1)
    given->refuse("less by 100 % or more asks for a mean of 0 or below",
                  "give a relative margin below 1: 0.5 means less than half");
}

void check_goal(const Fields& fields, Direction direction, const kernel::Metric& metric, const Draft& draft) {
  if (direction == Direction::not_worse && draft.with_goal.count(metric.name) == 0)
    fields.find("direction")
        ->refuse("the metric `" + metric.name + "` has no goal to be worse by",
                 "add `goal: minimize` or `goal: maximize` to it");
}

bool read_requirements(const Value& value, kernel::Hypothesis& hypothesis, const Draft& draft) {
  if (hypothesis.kind != kernel::HypothesisKind::compare)
    return value.refuse_key("only a comparison of two arms can require something",
                            "list a hypothesis of its own for each"),
           false;
  const auto items = value.list("requirements");
  if (!items) return false;
  const kernel::Metric* own = draft.spec.metric(hypothesis.metric);
  for (const Value& item : *items) {
    const auto fields = item.fields({"metric", "direction", "margin"});
    if (!fields || !fields->complete()) return false;
    const auto name = fields->need("metric", "name the metric that something is required of");
    const kernel::Metric* metric = name ? find_metric(*name, draft) : nullptr;
    const auto direction = read_direction(*fields, hypothesis.kind == kernel::HypothesisKind::slope);
    const auto given = fields->find("margin");
    const auto margin = given ? read_margin(*given) : std::nullopt;
    if (metric == nullptr || !direction || (given && !margin)) return false;
    const bool log = metric->scale == kernel::Scale::log && !metric->deterministic && !kernel::may_be_cut(*metric);
    check_margin(margin, {*direction, metric->goal, std::nullopt, log}, *fields);
    check_goal(*fields, *direction, *metric, draft);
    if (own && own->deterministic && !metric->deterministic)
      fields->find("metric")->refuse("`" + metric->name + "` varies from run to run, and `" + own->name + "` does not",
                                     "list a hypothesis of its own, which is sized for it");
    hypothesis.requirements.push_back({metric->name, *direction, margin});
  }
  return true;
}

/// Whether the means are compared on a logarithmic scale.
bool on_log_scale(const kernel::Hypothesis& hypothesis, const kernel::Metric& metric) {
  if (hypothesis.kind == kernel::HypothesisKind::slope || hypothesis.method == kernel::Method::exact) return false;
  if (hypothesis.method != kernel::Method::automatic) return hypothesis.method == kernel::Method::log_t;
  return metric.scale == kernel::Scale::log && !metric.deterministic && !kernel::may_be_cut(metric);
}

/// Whether it compares means, or fits lines to them.
bool of_means(kernel::Method method) {
  using kernel::Method;
  return method == Method::automatic || method == Method::t || method == Method::log_t || method == Method::exact;
}

void check_method(const JudgementKeys& keys, const kernel::Hypothesis& hypothesis, const kernel::Metric& metric) {
  const bool slope = hypothesis.kind == kernel::HypothesisKind::slope;
  if (slope && hypothesis.method == kernel::Method::log_t)
    keys.method->refuse("a slope is no mean", "use `scale: loglog` or `scale: semilog`");
  if (slope && !of_means(hypothesis.method))
    keys.method->refuse("a slope is fitted by least squares", "use `method: t`, or compare two levels by ranks");
  if (hypothesis.method == kernel::Method::exact && !metric.deterministic)
    keys.method->refuse("`" + metric.name + "` is not declared `deterministic: true`",
                        "declare it, or use `method: auto`");
}

/// True if the metric is read from metric lines, the only source that names items.
bool has_items(const kernel::Metric& metric) {
  return !metric.derived && metric.summary.kind != kernel::SummaryKind::time_to &&
         (std::holds_alternative<kernel::FromMetricsFile>(metric.source) ||
          std::holds_alternative<kernel::FromEvaluator>(metric.source));
}

void check_items(const JudgementKeys& keys, const kernel::Hypothesis& hypothesis, const kernel::Metric& metric) {
  if (hypothesis.kind != kernel::HypothesisKind::compare)
    return keys.unit->refuse("only a comparison of two arms can count items", "leave it out: its units are the seeds");
  if (hypothesis.method == kernel::Method::exact)
    return keys.unit->refuse("an exact comparison has no units", "leave `method: exact` out");
  if (kernel::may_be_cut(metric))
    return keys.unit->refuse("`" + metric.name + "` may be cut off, and an item's mean of such values is not known",
                             "test another metric, or leave it out");
  if (metric.summary.kind == kernel::SummaryKind::last)
    return keys.unit->refuse("a run's value of `" + metric.name + "` would be that of its last item",
                             "add `summary: mean` to the metric");
  if (!has_items(metric))
    keys.unit->refuse("`" + metric.name + "` comes from no metric lines, which alone name an `item`",
                      "let the job append lines with `item` to ETUDE_METRICS");
}

void check_interaction(const Fields& test, const JudgementKeys& keys, const kernel::Hypothesis& hypothesis, bool log) {
  if (hypothesis.direction == Direction::not_worse)
    test.find("direction")
        ->refuse("an interaction is neither better nor worse", "use `less`, `greater`, `equal` or `different`");
  if (hypothesis.margin && hypothesis.margin->kind == kernel::Margin::Kind::relative && !log)
    test.find("margin")->refuse("a difference of differences has no share",
                                "write `{absolute: …}`, or compare ratios with `scale: log` on the metric");
  if (hypothesis.smallest_effect.kind == kernel::SmallestEffect::Kind::relative && !log)
    keys.smallest_effect->refuse("a difference of differences has no share", "write `{absolute: …}` or `{sd: …}`");
  if (!of_means(hypothesis.method))
    keys.method->refuse("differences of differences are compared by means", "use `method: t` or `log_t`");
}

void check_crossover(const Fields& test, const JudgementKeys& keys, const kernel::Hypothesis& hypothesis) {
  if (hypothesis.direction == Direction::equal || hypothesis.direction == Direction::not_worse)
    test.find("direction")
        ->refuse("a crossover changes from one side to the other",
                 "say `less` (first less, later greater), `greater`, or `different` for either");
  if (const auto margin = test.find("margin")) margin->refuse_key("a crossover is about signs", "leave it out");
  if (hypothesis.over == kernel::Over::every)
    keys.over->refuse("a crossover is tested on average over what is crossed", "leave it out");
}

std::optional<kernel::SmallestEffect> read_smallest_effect(const Value& value) {
  if (!value.is_mapping())
    return value.refuse_kind("a smallest effect", "write `{relative: 0.1}`, `{absolute: 3}` or `{sd: 1}`"),
           std::nullopt;
  const auto fields = value.fields({"relative", "absolute", "sd"});
  if (!fields || !fields->complete()) return std::nullopt;
  if (value.node().entries.size() != 1)
    return value.refuse(value.node().entries.empty() ? "it is empty" : "more than one size is given",
                        "give one of `relative`, `absolute` and `sd`"),
           std::nullopt;
  using Kind = kernel::SmallestEffect::Kind;
  for (const auto& [key, kind] :
       {std::pair("relative", Kind::relative), std::pair("absolute", Kind::absolute), std::pair("sd", Kind::sd)}) {
    const auto given = fields->find(key);
    if (!given) continue;
    const std::optional<double> size = given->number(0, largest);
    if (!size) return std::nullopt;
    if (*size == 0)
      return given->refuse("no study can find an effect of 0", "give the smallest one that would matter"), std::nullopt;
    return kernel::SmallestEffect{kind, *size};
  }
  return std::nullopt;
}

}  // namespace

JudgementKeys::JudgementKeys(const Fields& item, const Fields& test)
    : smallest_effect(either(item, test, "smallest_effect")),
      method(either(item, test, "method")),
      over(either(item, test, "over")),
      unit(either(item, test, "unit")),
      requirements(either(item, test, "requires")) {}

std::optional<kernel::Margin> read_margin(const Value& value) {
  if (!value.is_mapping())
    return value.refuse_kind(
               "a margin",
               "write `{relative: 0.1}` (a tenth of the control) or `{absolute: 3}` (in the metric's unit)"),
           std::nullopt;
  const auto fields = value.fields({"relative", "absolute"});
  if (!fields || !fields->complete()) return std::nullopt;
  const auto relative = fields->find("relative"), absolute = fields->find("absolute");
  if (!relative == !absolute)
    return value.refuse(relative ? "both `relative` and `absolute` are given" : "it is empty", "give one of the two"),
           std::nullopt;
  const std::optional<double> size = (relative ? relative : absolute)->number(0, largest);
  if (!size) return std::nullopt;
  return kernel::Margin{relative ? kernel::Margin::Kind::relative : kernel::Margin::Kind::absolute, *size};
}

std::optional<Direction> read_direction(const Fields& test, bool slope) {
  const auto value = test.need("direction", "say `less`, `greater`, `equal`, `different` or `not_worse`");
  if (!value) return std::nullopt;
  const auto direction = choice_of<Direction>(*value);
  if (!slope || direction != Direction::not_worse) return direction;
  return value->refuse("a slope is neither better nor worse", "use `less`, `greater`, `equal` or `different`"),
         std::nullopt;
}

bool read_judgement(const JudgementKeys& keys, kernel::Hypothesis& hypothesis, const Draft& draft) {
  bool sound = true;
  if (keys.smallest_effect) sound = keep(read_smallest_effect(*keys.smallest_effect), hypothesis.smallest_effect);
  if (keys.method) sound = keep(choice_of<kernel::Method>(*keys.method), hypothesis.method) && sound;
  if (keys.over) sound = keep(choice_of<kernel::Over>(*keys.over), hypothesis.over) && sound;
  if (keys.unit) sound = keep(choice_of<kernel::TestUnit>(*keys.unit), hypothesis.unit) && sound;
  if (keys.requirements) sound = read_requirements(*keys.requirements, hypothesis, draft) && sound;
  return sound;
}

void check_judgement(const Fields& test, const JudgementKeys& keys, const kernel::Hypothesis& hypothesis,
                     const kernel::Metric& metric, const Draft& draft) {
  using Kind = kernel::HypothesisKind;
  const bool slope = hypothesis.kind == Kind::slope, crossover = hypothesis.kind == Kind::crossover;
  const bool log = on_log_scale(hypothesis, metric);
  if (hypothesis.kind == Kind::interaction) check_interaction(test, keys, hypothesis, log);
  if (crossover) check_crossover(test, keys, hypothesis);
  if (crossover && hypothesis.unit == kernel::TestUnit::item)
    keys.unit->refuse("only a comparison of two arms can count items", "leave it out: its units are the seeds");
  if (crossover) return check_method(keys, hypothesis, metric);
  check_margin(hypothesis.margin,
               {hypothesis.direction, metric.goal, slope ? std::optional(hypothesis.slope_value) : std::nullopt, log},
               test);
  if (log && hypothesis.smallest_effect.kind == kernel::SmallestEffect::Kind::absolute)
    keys.smallest_effect->refuse("a logarithmic scale knows ratios only", "write `smallest_effect: {relative: …}`");
  check_method(keys, hypothesis, metric);
  if (hypothesis.unit == kernel::TestUnit::item) check_items(keys, hypothesis, metric);
  check_goal(test, hypothesis.direction, metric, draft);
}

}  // namespace studyfile

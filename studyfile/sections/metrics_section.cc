#include <algorithm>
#include <set>

#include "kernel/domain/cells.h"
#include "kernel/evidence/derived_metrics.h"
#include "kernel/evidence/observations.h"
#include "studyfile/draft/draft.h"
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

std::optional<kernel::Summary> read_time_to(const Value& value, const Draft& draft) {
  const auto entries = value.entries("one metric and its target");
  if (!entries) return std::nullopt;
  if (entries->size() != 1)
    return value.refuse_kind("one metric and its target", "write `{time_to: {loss: 3.3}}`"), std::nullopt;
  const Value& entry = entries->front();
  const std::optional<double> target = entry.number(-largest, largest);
  if (draft.all_metrics && draft.spec.metric(entry.name()) == nullptr) {
    entry.refuse_key("no metric is called `" + shown(entry.name()) + "`",
                     suggestion(entry.name(), names_of(draft.spec.metrics), "the metrics are"));
    return std::nullopt;
  }
  if (!target) return std::nullopt;
  return kernel::Summary{kernel::SummaryKind::time_to, 0, entry.name(), *target};
}

std::optional<kernel::Summary> mean_of_last(const Value& value, const std::string& count) {
  const std::optional<double> k = is_integer(count) ? as_number(count) : std::nullopt;
  if (!k || *k < 1 || *k > 1e6)
    return value.refuse("mean_last needs a count", "write `mean_last:5` for the last five values"), std::nullopt;
  return kernel::Summary{kernel::SummaryKind::mean_last, static_cast<int>(*k), "", 0};
}

std::optional<kernel::Summary> read_summary(const Value& value, const Draft& draft) {
  if (value.is_mapping()) {
    const auto fields = value.fields({"mean_last", "time_to"});
    if (!fields) return std::nullopt;
    const auto last = fields->find("mean_last"), time = fields->find("time_to");
    if (!last == !time) return value.refuse("one summary is needed", "give `mean_last` or `time_to`"), std::nullopt;
    if (time) return read_time_to(*time, draft);
    const auto k = last->integer(1, 1000000);
    if (!k) return std::nullopt;
    return kernel::Summary{kernel::SummaryKind::mean_last, static_cast<int>(*k), "", 0};
  }
  if (value.is_scalar() && value.node().text.rfind("mean_last", 0) == 0) {
    const std::string& text = value.node().text;
    return mean_of_last(value, text.size() > 10 && text[9] == ':' ? text.substr(10) : "");
  }
  if (value.is_scalar() && value.node().text.rfind("time_to", 0) == 0)
    return value.refuse("time_to needs a metric and its target", "write `summary: {time_to: {loss: 3.3}}`"),
           std::nullopt;
  using Kind = kernel::SummaryKind;
  const auto kind = choice_of<Kind>(value, static_cast<std::size_t>(Kind::mean_last));  // Those without an argument.
  if (!kind) return std::nullopt;
  return kernel::Summary{*kind, 0, "", 0};
}

void read_primary(const Value& value, kernel::Metric& metric, Draft& draft) {
  const std::optional<bool> primary = value.boolean();
  if (primary && !*primary && draft.spec.metrics.size() == 1)
    value.refuse("the only metric is the primary one", "leave it out");
  if (!primary.value_or(false)) return;
  for (const kernel::Metric& other : draft.spec.metrics)
    if (other.primary) return value.refuse("`" + other.name + "` is primary already", "a study has one primary metric");
  metric.primary = true;
}

void read_derived(const Value& value, const Fields& metric_fields, kernel::Metric& metric, Draft& draft) {
  for (const char* key : {"summary", "warmup", "from", "on_nan", "censor"})
    if (const auto other = metric_fields.find(key))
      other->refuse_key("no run reports a derived metric", "say it of the metric that this one is derived from");
  const auto fields = value.fields({"from", "relative_to", "as"});
  if (!fields) return;
  kernel::Derived derived;
  if (const auto from = fields->need("from", "name the metric whose values are compared"))
    if (const kernel::Metric* source = find_metric(*from, draft)) {
      derived.from = source->name;
      if (source->name == metric.name) from->refuse("it is derived from itself", "name a metric that the runs report");
    }
  if (const auto to = fields->need("relative_to", "name the levels to compare with: `relative_to: {noise: 0}`")) {
    const auto cell = read_cell(*to, draft);
    if (cell && cell->empty()) to->refuse("it names no factor", "name the levels to compare with: `{noise: 0}`");
    keep(cell, derived.relative_to);
  }
  if (const auto as = fields->find("as"))
    keep(as->choice<bool>({{"difference", false}, {"ratio", true}}), derived.ratio);
  metric.derived = std::move(derived);
  draft.derived.emplace(metric.name, value);
}

/// Returns false if part of it could not be read.
bool read_metric(const Value& entry, kernel::Metric& metric, Draft& draft) {
  const auto fields = entry.fields({"unit", "goal", "primary", "summary", "warmup", "from", "type", "scale",
                                    "deterministic", "on_nan", "censor", "derive"});
  if (!fields) return false;
  if (const auto primary = fields->find("primary")) read_primary(*primary, metric, draft);
  if (const auto unit = fields->find("unit")) {
    keep(unit->spelling(), metric.unit);
    if (metric.unit.size() > 40 || metric.unit.find('\n') != std::string::npos)
      unit->refuse("`" + shown(metric.unit) + "` is too long for a unit", "abbreviate it");
  }
  if (const auto goal = fields->find("goal")) {
    keep(choice_of<kernel::Goal>(*goal), metric.goal);
    draft.with_goal.insert(metric.name);
  }
  if (const auto summary = fields->find("summary")) keep(read_summary(*summary, draft), metric.summary);
  fields->count("warmup", 0, 1000000, metric.warmup);
  if (const auto from = fields->find("from")) {
    keep(read_source(*from), metric.source);
    if (std::holds_alternative<kernel::FromEvaluator>(metric.source)) draft.from_evaluator.emplace(metric.name, *from);
  }
  if (const auto type = fields->find("type")) keep(choice_of<kernel::MetricType>(*type), metric.type);
  if (const auto scale = fields->find("scale")) keep(choice_of<kernel::Scale>(*scale), metric.scale);
  if (const auto fixed = fields->find("deterministic")) keep(fixed->boolean(), metric.deterministic);
  if (const auto nan = fields->find("on_nan")) {
    keep(choice_of<kernel::OnNan>(*nan), metric.on_nan);
    if (metric.on_nan == kernel::OnNan::worst && !fields->has("goal"))
      nan->refuse("`worst` of a metric without a goal", "add `goal: minimize` or `goal: maximize`");
  }
  if (const auto censor = fields->find("censor"))
    metric.censor_right = censor->choice<bool>({{"right", true}}).value_or(false);
  if (kernel::may_be_cut(metric) && metric.deterministic)
    entry.refuse("a value that may be cut off is not compared exactly", "leave `deterministic` out, or the censoring");
  if (const auto derive = fields->find("derive")) read_derived(*derive, *fields, metric, draft);
  return fields->complete();
}

void settle_primary(const Value& value, Draft& draft) {
  std::vector<kernel::Metric>& metrics = draft.spec.metrics;
  if (metrics.size() == 1) metrics.front().primary = true;
  if (std::ranges::none_of(metrics, &kernel::Metric::primary))
    value.refuse_key("no metric is primary", "add `primary: true` to the one that decides");
}

}  // namespace

void read_metrics(const Value& value, Draft& draft) {
  const auto entries = value.entries("metrics");
  if (!entries) return;
  if (entries->empty()) return value.refuse("there are no metrics", "name at least one thing that a run measures");
  // A summary may refer to a metric further down.
  draft.all_metrics = true;
  for (const Value& entry : *entries) {
    check_name(entry);
    draft.spec.metrics.emplace_back().name = entry.name();
  }
  bool unclear = false;
  for (std::size_t i = 0; i < entries->size(); ++i)
    if (!read_metric((*entries)[i], draft.spec.metrics[i], draft)) unclear = true;
  for (const auto& [name, derive] : draft.derived) {
    const kernel::Metric* source = draft.spec.metric(draft.spec.metric(name)->derived->from);
    if (source && source->derived && source->name != name)
      derive.refuse("`" + source->name + "` is derived itself", "name a metric that the runs report");
  }
  if (!unclear) settle_primary(value, draft);
}

void check_derived(const Draft& draft) {
  if (!draft.all_factors || !draft.unsure.empty()) return;
  constexpr std::size_t most_cells = 100'000;
  for (const auto& [name, derive] : draft.derived) {
    const kernel::Derived& derived = *draft.spec.metric(name)->derived;
    if (draft.spec.excludes.empty() || crossed_cells(draft.spec, {}, most_cells) >= most_cells) continue;
    const std::vector<kernel::Cell> all = kernel::crossed(draft.spec, {});
    const std::set<kernel::Cell> there(all.begin(), all.end());
    for (const kernel::Cell& cell : all)
      if (!there.contains(kernel::reference_of(derived, cell)))
        return derive.refuse("the constraints exclude a cell that it compares with",
                             "leave these levels in, or exclude the cells that need them as well");
  }
}

void read_guards(const Value& value, Draft& draft) {
  const auto items = value.list("guards");
  if (!items) return;
  for (const Value& item : *items) {
    const auto fields = item.fields({"metric", "at_most", "at_least"});
    if (!fields) continue;
    kernel::Guard guard;
    if (const auto name = fields->need("metric", "name the metric to guard"))
      if (const kernel::Metric* metric = find_metric(*name, draft)) {
        guard.metric = metric->name;
        if (metric->derived) name->refuse("no single run has it", "guard the metric that it is derived from");
      }
    const auto most = fields->find("at_most"), least = fields->find("at_least");
    if (most) guard.at_most = most->number(-largest, largest);
    if (least) guard.at_least = least->number(-largest, largest);
    if (!most && !least) item.refuse("it has no limit", "give `at_most`, `at_least` or both");
    if (guard.at_most && guard.at_least && *guard.at_least > *guard.at_most)
      least->refuse("`at_least` lies above `at_most`", "swap them");
    draft.spec.guards.push_back(std::move(guard));
  }
}

}  // namespace studyfile

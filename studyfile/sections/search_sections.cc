// Keys of screenings and optimisations only: ranges, fidelity, confirmation; and what such studies need.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kernel/domain/cells.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/wording/wording.h"
#include "studyfile/hypotheses/hypotheses.h"
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

using kernel::FactorType;
using kernel::StudyKind;

bool is_whole(double number) {
  return number == std::round(number) && std::abs(number) < 9e15;
}

std::optional<double> read_end(const Value& item, bool whole) {
  const std::optional<double> number = item.number(-largest, largest);
  if (number && whole && !is_whole(*number))
    return item.refuse("no integer although `type: int`", "give integers, or leave the type out"), std::nullopt;
  return number;
}

bool read_baseline(const std::optional<Value>& given, kernel::Factor& factor) {
  const kernel::Range& range = *factor.range;
  factor.baseline = kernel::range_text(factor, 0.5);
  if (!given) return true;
  const std::optional<double> number = read_end(*given, factor.type == FactorType::integer);
  if (!number) return false;
  if (*number < range.low || *number > range.high) {
    given->refuse(fmt::format("{} lies outside the range", given->node().text),
                  fmt::format("give a value from {} to {}", range.low, range.high));
    return false;
  }
  factor.baseline = fmt::format("{}", *number);
  return true;
}

bool numeric_levels(const kernel::Factor& factor) {
  return std::ranges::all_of(factor.levels,
                             [](const kernel::Level& level) { return level.bundle.empty() && level.value.number; });
}

}  // namespace

bool read_range(const Fields& fields, const Value& range, StudyKind kind, kernel::Factor& factor) {
  if (kind == StudyKind::test) {
    range.refuse_key("a range is for `kind: screen` and `kind: optimize`", "list `levels`");
    return false;
  }
  if (const auto levels = fields.find("levels")) {
    levels->refuse_key("there is a `range` as well", "keep one of the two");
    return false;
  }
  factor.type = FactorType::number;
  factor.range.emplace();
  if (const auto type = fields.find("type")) {
    const auto wanted = type->choice<FactorType>(
        {{"int", FactorType::integer}, {"number", FactorType::number}, {"float", FactorType::number}});
    if (!keep(wanted, factor.type)) return false;
  }
  if (const auto scale = fields.find("scale"))
    if (!keep(scale->choice<bool>({{"linear", false}, {"log", true}}), factor.range->log)) return false;
  const std::optional<std::vector<Value>> ends = range.list("two numbers");
  if (!ends) return false;
  if (ends->size() != 2) {
    range.refuse(fmt::format("a list of {}", ends->size()), "give its two ends: `range: [1e-4, 1e-1]`");
    return false;
  }
  const bool whole = factor.type == FactorType::integer;
  const auto low = read_end((*ends)[0], whole), high = read_end((*ends)[1], whole);
  if (!low || !high) return false;
  if (*low == *high) {
    range.refuse("both ends are the same number", "give two different ends, or make it one of `constants`");
    return false;
  }
  if (*low > *high) {
    range.refuse("the first end does not lie below the second", "give the lower one first");
    return false;
  }
  if (factor.range->log && *low <= 0) {
    (*ends)[0].refuse("no number above 0, and the scale is logarithmic", "raise it, or use `scale: linear`");
    return false;
  }
  factor.range->low = *low;
  factor.range->high = *high;
  if (!read_baseline(fields.find("baseline"), factor)) return false;
  for (const std::string& text : {kernel::range_text(factor, 0), kernel::range_text(factor, 1), *factor.baseline})
    kernel::add_range_level(factor, text);
  return true;
}

void read_confirm(const Value& value, Draft& draft) {
  if (draft.spec.kind == StudyKind::test)
    return value.warn("nothing is selected that would need confirming: it has no effect",
                      "it is for `kind: screen` and `kind: optimize`");
  const auto fields = value.fields({"top", "replicates"});
  if (!fields) return;
  kernel::Confirm& confirm = *draft.spec.design.confirm;
  fields->count("top", 1, 100, confirm.top);
  const auto replicates = fields->find("replicates");
  if (!replicates || !replicates->is_mapping()) return fields->count("replicates", 2, 100000, confirm.replicates);
  if (!draft.spec.objectives.empty())
    return replicates->refuse("the gain in one metric does not size the confirmation of two", "give one number");
  const auto bounds = replicates->fields({"min", "max"});
  if (!bounds) return;
  const auto min = bounds->need("min", "give both: `{min: 6, max: 40}`"),
             max = bounds->need("max", "give both: `{min: 6, max: 40}`");
  const std::int64_t low = min ? min->integer(2, 100000).value_or(0) : 0;
  const std::int64_t high = max ? max->integer(2, 100000).value_or(0) : 0;
  if (low == 0 || high == 0) return;
  if (low >= high) return min->refuse("min does not lie below max", "give both, min first");
  confirm.replicates = static_cast<int>(low);
  confirm.most = static_cast<int>(high);
}

void read_search_rule(const Value& value, Draft& draft) {
  if (draft.spec.kind != StudyKind::optimize) return value.refuse_key("it is for `kind: optimize`", "leave it out");
  const std::optional<kernel::SearchRule> rule = choice_of<kernel::SearchRule>(value);
  if (rule == kernel::SearchRule::keep_or_discard && draft.spec.design.confirm->top != 1)
    return value.refuse("one version is confirmed, the last base", "leave `confirm.top` out");
  if (rule == kernel::SearchRule::keep_or_discard && draft.spec.design.pairing == kernel::Pairing::none)
    return value.refuse("a promising version and its base run on the same seeds", "leave `pairing` out");
  if (rule == kernel::SearchRule::model && draft.searches_code)
    return value.refuse("a search over versions of the code has no model of the response", "leave it out");
  if (rule == kernel::SearchRule::halving && !draft.spec.objectives.empty())
    return value.refuse("halving ranks by one metric, and there are two `objectives`", "leave it out");
  keep(rule, draft.spec.design.search);
}

namespace {

void read_limit(const Value& item, const Fields& fields, const kernel::Metric& metric, kernel::Objective& objective) {
  const bool minimize = metric.goal == kernel::Goal::minimize;
  const auto limit = fields.find(minimize ? "at_most" : "at_least");
  if (const auto other = fields.find(minimize ? "at_least" : "at_most"))
    return other->refuse_key(fmt::format("the goal of `{}` is `{}`", metric.name, name(metric.goal)),
                             fmt::format("limit it from the other side, with `{}`", minimize ? "at_most" : "at_least"));
  if (limit) objective.limit = limit->number(-largest, largest);
  if (objective.limit && metric.scale == kernel::Scale::log && *objective.limit <= 0)
    return limit->refuse("no number above 0, and the metric's scale is logarithmic", "raise it");
  const auto margin = fields.find("margin");
  if (!margin) return;
  if (!limit)
    return item.refuse("it has a margin and no limit", "give `at_most` or `at_least`, or leave the margin out");
  if (const auto given = read_margin(*margin); given && objective.limit)
    objective.margin = given->value * (given->kind == kernel::Margin::Kind::relative ? std::abs(*objective.limit) : 1);
}

std::optional<kernel::Objective> read_objective(const Value& item, Draft& draft) {
  const std::optional<Fields> fields =
      item.is_mapping() ? item.fields({"metric", "at_most", "at_least", "margin"}) : std::nullopt;
  if (item.is_mapping() && !fields) return std::nullopt;
  const auto name = fields ? fields->need("metric", "name the metric to improve") : std::optional(item);
  const kernel::Metric* metric = name ? find_metric(*name, draft) : nullptr;
  if (!metric) return std::nullopt;
  kernel::Objective objective{metric->name};
  if (metric->derived)
    name->refuse("no single run has it", "name the metric that it is derived from");
  else if (draft.with_goal.count(metric->name) == 0)
    name->refuse("the metric `" + metric->name + "` has no goal", "add `goal: minimize` or `goal: maximize` to it");
  if (fields) read_limit(item, *fields, *metric, objective);
  return objective;
}

}  // namespace

void read_objectives(const Value& value, Draft& draft) {
  kernel::StudySpec& spec = draft.spec;
  if (spec.kind != StudyKind::optimize) return value.refuse_key("it is for `kind: optimize`", "leave it out");
  const auto items = value.list("two metrics");
  if (!items) return;
  if (items->size() != 2)
    return value.refuse(fmt::format("a search for {} at once",
                                    items->size() == 1 ? "one metric" : fmt::format("{} metrics", items->size())),
                        "name two metrics; for one, `primary` says which");
  for (const Value& item : *items)
    if (auto objective = read_objective(item, draft)) spec.objectives.push_back(std::move(*objective));
  if (spec.objectives.size() != 2) return spec.objectives.clear();
  if (spec.objectives[0].metric == spec.objectives[1].metric)
    return (*items)[1].refuse("`" + spec.objectives[0].metric + "` is named twice", "name two metrics");
  const kernel::Metric& second = *spec.metric(spec.objectives[1].metric);
  if (second.primary)
    std::swap(spec.objectives[0], spec.objectives[1]);
  else if (!spec.metric(spec.objectives[0].metric)->primary)
    return value.refuse("neither of them is the primary metric", "add `primary: true` to one of them");
  spec.design.confirm->top = 3;
}

namespace {

/// A path, or a list of paths.
void read_continued(const Value& value, const Draft& draft, std::vector<std::string>& paths) {
  if (!draft.spec.stages.empty())
    return value.refuse_key("its runs take several `stages`, and only runs of one command continue", "leave it out");
  std::vector<Value> items = {value};
  if (value.is_list()) {
    auto list = value.list("files or folders");
    if (!list) return;
    items = std::move(*list);
  }
  for (const Value& item : items) {
    const auto path = item.text();
    if (!path) return;
    std::string plain = std::filesystem::path(*path).lexically_normal().string();
    if (plain.size() > 1 && plain.back() == '/') plain.pop_back();
    if (!stays_inside(*path) || plain == ".")
      return item.refuse("`" + shown(*path) + "` is no file or folder below the run's own",
                         "name it relative to the working directory or to $ETUDE_OUTPUT");
    const auto meets = [&](const std::string& other) {
      return other == plain || other.starts_with(plain + "/") || plain.starts_with(other + "/");
    };
    if (const auto other = std::ranges::find_if(paths, meets); other != paths.end())
      return item.refuse("`" + plain + "` and `" + *other + "` are the same, or one lies in the other",
                         "leave one out");
    paths.push_back(std::move(plain));
  }
}

}  // namespace

void read_fidelity(const Value& value, Draft& draft) {
  if (draft.spec.kind != StudyKind::optimize) return value.refuse_key("it is for `kind: optimize`", "leave it out");
  const auto fields = value.fields({"factor", "eta", "continue"});
  if (!fields) return;
  kernel::Fidelity fidelity;
  if (const auto given = fields->find("continue")) read_continued(*given, draft, fidelity.continues);
  const auto factor = fields->need("factor", "name the factor that is raised from rung to rung");
  const kernel::Factor* named = factor ? named_factor(*factor, draft) : nullptr;
  fields->count("eta", 2, 10, fidelity.eta);
  if (!named) return;
  fidelity.factor = named->name;
  if (named->range || !numeric_levels(*named))
    return factor->refuse("the levels of `" + named->name + "` are no list of numbers",
                          "list them: `levels: [1, 3, 9]`");
  if (named->baseline)
    return factor->refuse("`" + named->name + "` has a baseline, and is raised from rung to rung",
                          "take its `baseline` out");
  draft.spec.fidelity = std::move(fidelity);
  if (!draft.spec.objectives.empty())
    value.refuse_key("a search for two metrics at once has no fidelity", "keep one of the two");
}

void read_code(const Value& value, Draft& draft) {
  kernel::StudySpec& spec = draft.spec;
  if (spec.kind != StudyKind::optimize) return value.refuse_key("it is for `kind: optimize`", "leave it out");
  if (!spec.objectives.empty())
    return value.refuse_key("versions of the code are searched for one metric", "leave `objectives` out");
  const auto fields =
      value.fields({"drafts", "branches", "debug_depth", "versions", "idle_steps", "calls", "floor", "retest"});
  if (!fields) return;
  kernel::CodeSpec code;
  const bool one_by_one = spec.design.search == kernel::SearchRule::keep_or_discard;
  if (spec.design.pairing == kernel::Pairing::none)
    return value.refuse_key("versions of the code run on the same seeds, and `design.pairing` is `none`",
                            "leave `design.pairing` out");
  for (const char* key : {"drafts", "branches", "idle_steps"})
    if (const auto given = fields->find(key); given && one_by_one)
      given->refuse_key("ideas are written one at a time, each from the base", "leave it out");
  for (const char* key : {"floor", "retest"})
    if (const auto given = fields->find(key); given && !one_by_one)
      given->refuse_key("it is for `design.search: keep_or_discard`", "leave it out");
  if (one_by_one) {
    code = {1, 1, 1, 40, 0, 30, 5, 3};
    fields->count("floor", 3, 100, code.floor);
    fields->count("retest", 2, 50, code.retest);
  } else {
    code.idle_steps = 2;
    code.calls = 30;
    fields->count("drafts", 1, 50, code.drafts);
    fields->count("branches", 1, 16, code.branches);
    fields->count("idle_steps", 1, 100, code.idle_steps);
  }
  fields->count("debug_depth", 0, 20, code.debug_depth);
  fields->count("versions", 1, 500, code.versions);
  fields->count("calls", 5, 1000, code.calls);
  if (code.versions < code.drafts)
    return value.refuse(fmt::format("`versions` is {}, less than `drafts`, {}", code.versions, code.drafts),
                        "raise `versions`, or lower `drafts`");
  if (spec.factor(kernel::code_factor) != nullptr || spec.constants.contains(kernel::code_factor))
    return value.refuse_key("a factor or constant is called `code`, which stands for the version here", "rename it");
  if (spec.agents == "builtin")
    return value.refuse_key("no engineer is there to write versions of the code: `agents` is `builtin`",
                            "name a profile of the configuration: `agents: PROFILE`");
  if (spec.fidelity) return value.refuse_key("there is a `fidelity` as well", "keep one of the two");
  if (!spec.stages.empty())
    return value.refuse_key("its runs take several `stages`, and versions are run in one", "give one command, `run`");
  if (!spec.design.blocks.empty()) return value.refuse_key("the design has blocks", "leave `design.blocks` out");
  // An agent's code would write whatever value the search should raise.
  if (draft.all_metrics && std::ranges::any_of(spec.metrics, [&](const kernel::Metric& m) {
        return m.primary && !spec.from_evaluator(m.name);
      }))
    return value.refuse_key(
        "versions report the primary metric themselves, so the agent that writes them could write any value",
        "let an evaluator score them: `from: evaluator`");
  for (const kernel::Guard& guard : spec.guards)
    if (!spec.from_evaluator(guard.metric))
      return value.refuse_key(fmt::format("versions report `{}` themselves, and a guard rests on it", guard.metric),
                              "let an evaluator score it: `from: evaluator`");
  if (!spec.evaluator.validation)
    return value.refuse_key("nothing scores versions while they are searched for", "add `evaluator.validation`");
  if (spec.resources.sandbox == kernel::SandboxMode::none)
    return value.refuse_key("without a sandbox nothing keeps a version from what scores it",
                            "leave `resources.sandbox` out");
  kernel::Factor factor;
  factor.name = kernel::code_factor;
  factor.levels = {{kernel::original_code, {kernel::original_code, std::nullopt}, {}}};
  factor.baseline = kernel::original_code;
  spec.factors.push_back(std::move(factor));
  spec.code = code;
  const bool based = std::ranges::all_of(spec.factors, [](const auto& other) { return other.baseline.has_value(); });
  if (!based || !draft.all_factors || !draft.unsure.empty()) return;
  if (const kernel::Reason why = kernel::why_not_searchable(spec); !why.empty())
    value.refuse_key(kernel::newest_words(why),
                     one_by_one ? "raise `budget.runs`, or lower `confirm.replicates`, `floor` or `retest`"
                                : "raise `budget.runs`, or lower `confirm.replicates`, `drafts` or `branches`");
}

void refuse_hypotheses(const Value& value, Draft& draft) {
  draft.sound_hypotheses = false;
  value.refuse_key("hypotheses are listed with `kind: test`",
                   "leave them out: what is selected becomes what is confirmed");
}

void check_search(const std::optional<Value>& factors, const std::optional<Value>& metrics, Draft& draft) {
  const kernel::StudySpec& spec = draft.spec;
  bool primary = false;
  for (const kernel::Metric& metric : spec.metrics) {
    if (!metric.primary) continue;
    primary = true;
    if (const auto derived = draft.derived.find(metric.name); derived != draft.derived.end())
      derived->second.refuse_key("the primary metric of a search is one that every run reports",
                                 "make the metric that it is derived from the primary one");
    if (draft.with_goal.count(metric.name) == 0 && metrics)
      if (const auto entry = metrics->entry(metric.name))
        entry->refuse_key("the primary metric has no goal", "add `goal: minimize` or `goal: maximize`");
  }
  if (!primary || !factors || !draft.all_factors || !draft.unsure.empty()) return;
  if (spec.kind == StudyKind::optimize)
    for (const kernel::Factor& factor : spec.factors) {
      const bool raised = spec.fidelity && spec.fidelity->factor == factor.name;
      if (raised || factor.baseline) continue;
      // An unknown fidelity was already refused.
      if (const auto entry = factors->entry(factor.name))
        return entry->refuse_key("it has no baseline, and an optimisation is compared with one",
                                 "add `baseline: " + factor.levels.front().name + "`, or another level");
    }
  if (spec.kind == StudyKind::optimize && kernel::searched_factors(spec).empty())
    return factors->refuse_key("there is nothing to search but the fidelity", "name at least one other factor");
  if (const kernel::Reason why = kernel::why_not_searchable(spec); !why.empty())
    factors->refuse_key(kernel::newest_words(why),
                        "relax the constraints, raise `budget.runs`, name fewer factors, or lower `confirm.top`");
}

}  // namespace studyfile

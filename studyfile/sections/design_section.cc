// `design`, and what a study with blocks cannot have.
#include <algorithm>

#include <fmt/format.h>

#include "kernel/evidence/observations.h"
#include "kernel/verdicts/controls.h"
#include "studyfile/hypotheses/hypotheses.h"
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

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

bool of_items(const Hypothesis& h) {
  return h.unit == kernel::TestUnit::item;
}

bool all_deterministic(const Draft& draft) {
  const auto fixed = [&](const std::string& name) {
    const kernel::Metric* metric = draft.spec.metric(name);
    return metric == nullptr || metric->deterministic;
  };
  if (draft.spec.hypotheses.empty())
    return std::ranges::all_of(draft.spec.metrics, [](const auto& m) { return !m.primary || m.deterministic; });
  return std::ranges::all_of(draft.spec.hypotheses, [&](const kernel::Hypothesis& h) {
    return h.kind == kernel::HypothesisKind::slope || fixed(h.metric);
  });
}

void read_replicates(const Value& value, Draft& draft) {
  kernel::Design& design = draft.spec.design;
  if (!value.is_mapping()) {
    const bool number = value.is_scalar() && is_integer(value.node().text);
    const std::string n = number ? value.node().text : "5";
    return value.refuse_kind("a mapping", "write `{min: " + n + ", max: " + n + "}` for a fixed number");
  }
  const auto fields = value.fields({"min", "max"});
  if (!fields || !fields->complete()) return;
  const auto min = fields->find("min"), max = fields->find("max");
  if (!min && !max) return value.refuse("it is empty", "write `{min: 3, max: 20}`");
  const auto low = min ? min->integer(1, 100000) : std::optional<std::int64_t>(design.replicates_min);
  const auto high = max ? max->integer(1, 100000) : std::optional<std::int64_t>(design.replicates_max);
  if (!low || !high) return;
  if (*low > *high) {
    const std::string lowest = "min " + std::to_string(*low) + (min ? "" : " (the default)");
    const std::string highest = "max " + std::to_string(*high) + (max ? "" : " (the default)");
    return (min ? min : max)->refuse(lowest + " lies above " + highest, "give both, min first");
  }
  design.replicates_min = static_cast<int>(*low);
  design.replicates_max = static_cast<int>(*high);
  // If blocks are the units, one run per block is enough.
  const std::vector<Hypothesis> hypotheses = tested(draft.spec);
  const bool items = !hypotheses.empty() && std::ranges::all_of(hypotheses, of_items);
  if (*low < 2 && design.blocks.empty() && draft.sound_hypotheses && !all_deterministic(draft) && !items)
    min->refuse("one run per arm shows nothing of how runs vary",
                "give at least 2, or declare the metric `deterministic: true`");
}

/// Refuses looks if the correction controls the share of false discoveries.
bool refused_for_false_discovery(const Value& looks, const kernel::Design& design) {
  if (design.correction != kernel::Correction::benjamini_hochberg) return false;
  looks.refuse_key("looks belong to `correction: holm`",
                   "leave it out: the share of false discoveries has no boundaries here");
  return true;
}

/// Reads `looks: anytime`: a look after every replicate, by confidence sequences of paired differences.
void read_anytime(const Value& value, Draft& draft) {
  kernel::Design& design = draft.spec.design;
  if (design.pairing == kernel::Pairing::none)
    return value.refuse("a confidence sequence follows the differences of pairs", "leave `pairing: none` out");
  if (refused_for_false_discovery(value, design)) return;
  constexpr int fewest = 5;
  if (design.replicates_max < fewest)
    return value.refuse(fmt::format("at most {} replicates leave nothing to look at early", design.replicates_max),
                        "give `replicates: {min: 4, max: 40}`, the most that may run");
  for (const Hypothesis& h : tested(draft.spec)) {
    const kernel::Metric* metric = draft.spec.metric(h.metric);
    const bool ranks = h.method == kernel::Method::rank || (metric && kernel::may_be_cut(*metric));
    if (ranks || h.kind == kernel::HypothesisKind::crossover)
      return value.refuse(fmt::format("{} is {}, which has no confidence sequence here", h.id,
                                      ranks ? "tested by ranks" : "a crossover"),
                          "look at shares, `looks: {at: [0.5, 1]}`, or leave it out");
  }
  design.looks = kernel::Looks{{}, false, true};
}

void read_looks(const Value& value, Draft& draft) {
  kernel::Design& design = draft.spec.design;
  if (value.is_scalar() && value.node().text == "anytime") return read_anytime(value, draft);
  if (!value.is_mapping()) return value.refuse_kind("a mapping or `anytime`", "write `{at: [0.5, 1]}`");
  const auto fields = value.fields({"at", "futility"});
  if (!fields) return;
  kernel::Looks looks;
  const auto at = fields->need("at", "say when, as shares of the replicates: `at: [0.5, 1]`");
  const auto items = at ? at->list("shares") : std::nullopt;
  if (const auto futility = fields->find("futility")) keep(futility->boolean(), looks.futility);
  if (!items) return;
  constexpr std::size_t most_looks = 20;
  if (items->size() > most_looks) return at->refuse("more than 20 looks", "a few are enough");
  for (const Value& item : *items) {
    const auto share = item.number(0.01, 1);
    if (!share) return;
    if (!looks.at.empty() && *share < looks.at.back() + 0.01)
      return item.refuse("the looks do not rise by 0.01 at least", "list them in order");
    looks.at.push_back(*share);
  }
  if (looks.at.empty() || looks.at.back() != 1)
    return at->refuse("the last look is not at 1", "end with 1, when all runs have ended");
  if (refused_for_false_discovery(value, design)) return;
  design.looks = std::move(looks);
}

void read_planted(const Value& value, Draft& draft) {
  if (draft.spec.kind != kernel::StudyKind::test)
    return value.refuse_key("a search has no verdicts that an effect could be planted for", "leave it out");
  const auto item = value.fields({"test", "smallest_effect", "method", "over", "unit"});
  if (!item || !item->complete()) return;
  const auto test =
      item->need("test", "say what is known: `test: {metric: …, treatment: …, control: …, direction: …}`");
  kernel::Hypothesis planted;
  planted.id = kernel::planted_id;
  for (const kernel::Hypothesis& listed : draft.spec.hypotheses)
    if (listed.id == planted.id)
      return value.refuse_key("a hypothesis is called `planted`", "give that one another id");
  planted.statement = "The planted effect is there.";
  planted.line = value.place().line;
  if (!test || !read_test(*item, *test, planted, draft)) return;
  draft.spec.design.planted = std::move(planted);
}

void read_family(const Value& value, Draft& draft) {
  const auto slots = value.integer(1, 100000);
  if (!slots) return;
  draft.spec.design.family = static_cast<int>(*slots);
  const std::size_t listed = draft.spec.hypotheses.size();
  if (static_cast<std::size_t>(*slots) < listed)
    value.warn(std::to_string(*slots) + " slots for " + std::to_string(listed) + " listed hypotheses",
               "those beyond the slots are explored, never supported");
}

/// Refuses designs in which items cannot be the units.
void check_items(const Value& value, const Fields* fields, const Draft& draft) {
  const kernel::Design& design = draft.spec.design;
  const std::vector<Hypothesis> hypotheses = tested(draft.spec);
  const auto of = std::ranges::find_if(hypotheses, of_items);
  if (of == hypotheses.end()) return;
  const auto refuse = [&](const char* key, const std::string& what, const std::string& remedy) {
    const auto at = fields ? fields->find(key) : std::nullopt;
    (at ? *at : value).refuse(fmt::format("{} counts items (`unit: item`), {}", of->id, what), remedy);
  };
  if (design.replicates_min != design.replicates_max)
    refuse("replicates", "and more seeds give no more items",
           "fix the number of seeds: `replicates: {min: 3, max: 3}`");
  if (design.pairing == kernel::Pairing::none)
    refuse("pairing", "which are compared within each seed", "leave `pairing: none` out");
  if (!design.blocks.empty())
    refuse("blocks", "so blocks cannot be the units, too", "leave `blocks` or `unit: item` out");
  if (design.looks) refuse("looks", "and looks would add seeds, not items", "leave `looks` out");
}

}  // namespace

void check_units(const Value& hypotheses, Draft& draft) {
  check_items(hypotheses, nullptr, draft);
}

void read_design(const Value& value, Draft& draft) {
  const auto fields =
      value.fields({"alpha", "power", "replicates", "pairing", "family", "correction", "pilot", "max_failed", "blocks",
                    "looks", "planted", "confirm", "search", "warmup_runs", "smoke", "order"});
  if (!fields) return;
  kernel::Design& design = draft.spec.design;
  if (const auto planted = fields->find("planted")) read_planted(*planted, draft);
  if (const auto blocks = fields->find("blocks")) read_blocks(*blocks, draft);
  if (const auto alpha = fields->find("alpha")) keep(alpha->number(1e-6, 0.5), design.alpha);
  fields->count("warmup_runs", 0, 100, design.warmup_runs);
  if (const auto power = fields->find("power")) {
    keep(power->number(0.01, 0.9999), design.power);
    if (design.power <= design.alpha) power->refuse("the power is not above alpha", "0.8 is usual");
  }
  if (const auto replicates = fields->find("replicates")) read_replicates(*replicates, draft);
  using Pairing = kernel::Pairing;
  using kernel::Correction;
  if (const auto correction = fields->find("correction"))
    keep(correction->choice<Correction>({{"holm", Correction::holm},
                                         {"benjamini_hochberg", Correction::benjamini_hochberg},
                                         {"bh", Correction::benjamini_hochberg}}),
         design.correction);
  if (const auto pairing = fields->find("pairing")) keep(choice_of<Pairing>(*pairing), design.pairing);
  if (design.pairing == Pairing::none && !draft.derived.empty())
    fields->find("pairing")->refuse("the metric `" + draft.derived.begin()->first + "` is derived within seeds",
                                    "leave it out: seeds are paired");
  if (design.pairing == Pairing::none && !design.blocks.empty())
    fields->find("pairing")->refuse("arms are compared within blocks, and within a block's seeds",
                                    "leave it out, or the blocks");
  if (const auto family = fields->find("family")) read_family(*family, draft);
  fields->count("pilot", 2, 1000, design.pilot);
  if (const auto failed = fields->find("max_failed")) keep(failed->number(0, 1), design.max_failed);
  if (const auto smoke = fields->find("smoke")) keep(smoke->boolean(), design.smoke);
  if (const auto order = fields->find("order")) keep(choice_of<kernel::Order>(*order), design.order);
  if (const auto looks = fields->find("looks")) {
    read_looks(*looks, draft);
    if (!design.blocks.empty())
      looks->refuse_key("the number of blocks is fixed, and all are there when each has a run",
                        "leave one of the two out");
  }
  check_items(value, &*fields, draft);
  if (const auto confirm = fields->find("confirm")) read_confirm(*confirm, draft);
  if (const auto search = fields->find("search")) read_search_rule(*search, draft);
  if (draft.spec.kind == kernel::StudyKind::test) return;
  if (const auto slots = fields->find("family"))
    slots->refuse_key("the family is what is carried forward", "say how many with `confirm: {top: 1}`");
  if (const auto runs = fields->find("pilot"))
    runs->refuse_key("nothing is sized by a pilot", "give the replicates with `confirm: {replicates: 12}`");
  if (const auto replicates = fields->find("replicates");
      replicates && design.search == kernel::SearchRule::keep_or_discard)
    replicates->refuse_key("a version runs once, and again as `code.retest` says", "leave it out");
  else if (replicates && design.replicates_min < 2)
    replicates->refuse("selection by one number", "give at least 2 replicates");
}

}  // namespace studyfile

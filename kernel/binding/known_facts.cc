#include "kernel/binding/known_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/domain/enum_names.h"
#include "kernel/views/result_text.h"
#include "prose/characters.h"

namespace kernel {

namespace {

using prose::Constant;
using prose::Facts;

bool letters_only(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return prose::letter(static_cast<unsigned char>(c)); });
}

/// Adds a name that the lint would split into words. A name that begins with a digit counts as a number, which may
/// stand with its factor. It is a name if it contains three letters in a row.
void add_name(Facts& facts, const std::string& text) {
  if (text.empty() || letters_only(text)) return;
  std::size_t letters = 0, most = 0;
  for (const char c : text) {
    letters = prose::letter(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80 ? letters + 1 : 0;
    most = std::max(most, letters);
  }
  const unsigned char first = static_cast<unsigned char>(text[0]);
  if (prose::letter(first) || first == '_' || first >= 0x80 || most >= 3) facts.names.insert(text);
}

/// Adds a subject of sentences: the name, and with `parts` the words in it.
void add_subject(Facts& facts, const std::string& name, bool parts) {
  static const std::set<std::string> idle = {"none", "true", "false", "default", "yes", "all", "off", "on", "no"};
  const std::string text = prose::lowered(name);
  const bool number = text.find_first_not_of("0123456789.+-e") == std::string::npos;
  if (text.size() > 1 && !number && !idle.contains(text)) facts.subjects.insert(text);
  if (!parts) return;
  std::string part;
  for (const char c : text + "_") {
    if (prose::letter(static_cast<unsigned char>(c))) {
      part += c;
    } else {
      if (part.size() >= 4) facts.subjects.insert(part);
      part.clear();
    }
  }
}

void add(Facts& facts, double value, std::vector<std::string> names, std::string what, bool share = false,
         std::string unit = "") {
  facts.constants.push_back(
      {fmt::format("{}", value), value, std::move(names), std::move(what), std::move(unit), share});
}

void add_factor(Facts& facts, const Factor& factor) {
  const std::string what = "a level of `" + factor.name + "`";
  add_name(facts, factor.name);
  for (const Level& level : factor.levels) {
    add_name(facts, level.name);
    add_subject(facts, level.name, false);
    facts.constants.push_back(
        {level.name, level.bundle.empty() ? level.value.number : std::nullopt, {factor.name}, what, "", false});
    for (const auto& [key, value] : level.bundle) {
      add_name(facts, value.text);
      facts.constants.push_back(
          {value.text, value.number, {key}, fmt::format("`{}` of `{}`", key, factor.name), "", false});
    }
  }
}

void add_design(Facts& facts, const StudySpec& spec) {
  const Design& d = spec.design;
  add(facts, d.alpha, {"alpha", "α", "significance level", "significance", "level"}, "alpha", true);
  add(facts, 1 - d.alpha, {"level", "confidence level", "confidence", "interval"}, "the level", true);
  add(facts, d.power, {"power"}, "the power asked for", true);
  add(facts, d.max_failed, {"max_failed"}, "`max_failed`", true);
  for (const int n : {d.replicates_min, d.replicates_max}) add(facts, n, {"replicates", "replicate"}, "the replicates");
  if (d.confirm) add(facts, d.confirm->replicates, {"replicates", "replicate"}, "the confirmation's replicates");
  if (!d.sized_beforehand()) add(facts, d.pilot, {"pilot"}, "the size of the pilot");
  if (d.family) add(facts, *d.family, {"family"}, "the family");
  add(facts, static_cast<double>(spec.seed), {"seed"}, "the seed of the study");
  add(facts, spec.resources.cpus, {"cpus", "cpu", "cores", "core"}, "the processors of a run");
  if (spec.resources.gpus > 0) add(facts, spec.resources.gpus, {"gpus", "gpu"}, "the devices of a run");
  if (spec.resources.timeout_s)
    add(facts, *spec.resources.timeout_s, {"timeout", "time-out"}, "the time-out", false, "s");
  if (spec.budget.runs) add(facts, static_cast<double>(*spec.budget.runs), {"budget"}, "the budget");
  if (spec.budget.wall_s) add(facts, *spec.budget.wall_s, {"budget"}, "the budget", false, "s");
}

std::set<std::string> difference(const Cell& of, const Cell& from) {
  std::set<std::string> levels;
  for (const auto& [factor, level] : of)
    if (const auto other = from.find(factor); other == from.end() || other->second != level) levels.insert(level);
  return levels;
}

/// One interval decides: it shows a sign if it excludes zero. A refuted direction without such an interval licenses
/// only its denial, not the opposite direction.
prose::Licence licence_of(const HypothesisRecord& record) {
  prose::Licence l;
  if (!record.result || record.exploratory) return l;
  if (record.result->verdict != Verdict::supported && record.result->verdict != Verdict::refuted) return l;
  const HypothesisResult& r = *record.result;
  const Hypothesis& h = record.hypothesis;
  // How a difference changes does not show its direction.
  if (h.kind != HypothesisKind::compare && h.kind != HypothesisKind::slope) return l;
  const bool supported = r.verdict == Verdict::supported;
  const bool exact = !r.low && !r.high && !r.se;
  const bool margin = h.margin && h.margin->value != 0;
  if (r.effect) {
    l.less = *r.effect < 0 && (exact || (r.high && *r.high <= 0));
    l.greater = *r.effect > 0 && (exact || (r.low && *r.low >= 0));
  }
  const bool about_zero = h.kind == HypothesisKind::compare || h.slope_value == 0;
  l.equal = supported && h.direction == Direction::equal && about_zero;
  const bool unequal = (supported && h.direction == Direction::different) ||
                       (!supported && h.direction == Direction::equal && about_zero);
  l.different = l.less || l.greater || unequal;
  l.not_less = l.greater || l.equal || (!supported && h.direction == Direction::less && !margin && about_zero);
  l.not_greater = l.less || l.equal || (!supported && h.direction == Direction::greater && !margin && about_zero);
  return l;
}

}  // namespace

prose::HypothesisFacts hypothesis_facts(const StudySpec& spec, const HypothesisRecord& record) {
  const Hypothesis& h = record.hypothesis;
  const Metric* metric = spec.metric(h.metric);
  prose::HypothesisFacts facts;
  facts.id = h.id.text();
  facts.metric = h.metric;
  facts.lower_is_better = !metric || metric->goal == Goal::minimize;
  facts.every = h.over == Over::every;
  facts.randomised = spec.design.order == Order::random;
  if (h.kind == HypothesisKind::compare) {
    facts.treatment = difference(h.treatment, h.control);
    facts.control = difference(h.control, h.treatment);
  }
  std::set<std::string> crossed;
  for (const Factor& factor : spec.factors) {
    const auto own = [&](const Level& level) {
      const auto is = [&](const Cell& cell) {
        const auto at = cell.find(factor.name);
        return at != cell.end() && at->second == level.name;
      };
      return is(h.treatment) || is(h.control) || is(h.where);
    };
    const bool fixed =
        h.treatment.contains(factor.name) || h.control.contains(factor.name) || h.where.contains(factor.name);
    for (const Level& level : factor.levels)
      if (fixed && !own(level))
        facts.foreign.insert(level.name);
      else
        crossed.insert(level.name);
  }
  for (const std::string& level : crossed) facts.foreign.erase(level);
  if (record.result) facts.verdict = record.exploratory ? "exploratory" : words_of(record.result->verdict);
  facts.licence = licence_of(record);
  const Verdict verdict = record.result ? record.result->verdict : Verdict::inconclusive;
  const bool not_worse = verdict == Verdict::supported && h.direction == Direction::not_worse && !record.exploratory;
  if (not_worse) (facts.lower_is_better ? facts.licence.not_greater : facts.licence.not_less) = true;
  return facts;
}

namespace {

prose::Cited cited(const Work& work) {
  prose::Cited cited;
  for (const std::string& author : work.authors)
    if (std::string name = surname(author); !name.empty()) cited.authors.insert(std::move(name));
  if (!work.doi.empty()) cited.identifiers.insert(work.doi);
  if (!work.arxiv.empty()) cited.identifiers.insert(work.arxiv);
  return cited;
}

}  // namespace

void add_constants(Facts& facts, const StudySpec& spec, const Hypothesis& h) {
  const std::string unit = effect_unit(spec, h);
  const auto margin = [&](const std::optional<Margin>& m) {
    if (m && m->value != 0)
      add(facts, m->value, {"margin"}, "the margin of " + h.id, m->kind == Margin::Kind::relative,
          m->kind == Margin::Kind::relative ? "" : unit);
  };
  margin(h.margin);
  for (const Requirement& required : h.requirements) margin(required.margin);
  const bool relative = h.smallest_effect.kind == SmallestEffect::Kind::relative;
  add(facts, h.smallest_effect.value, {"smallest effect"}, "the smallest effect of " + h.id, relative,
      relative ? "" : unit);
  if (h.kind == HypothesisKind::slope)
    add(facts, h.slope_value, {"registered value", "registered slope"}, "the slope that " + h.id + " is compared with");
}

namespace {

/// The numbers of hypotheses that a text may say were proposed: all, those of a batch, and while more may be proposed
/// any that the family has room for.
std::set<int> proposal_counts(const StudySpec& spec, const Hypotheses& study) {
  constexpr int most_planned = 50;
  std::set<int> counts = {static_cast<int>(study.hypotheses.size())};
  for (int batch = 1; batch <= study.batch.number; ++batch)
    counts.insert(static_cast<int>(std::ranges::count(study.hypotheses, batch, &HypothesisRecord::batch)));
  if (!study.proposals_closed)
    for (int n = 1; n <= std::min(spec.design.family.value_or(most_planned), most_planned); ++n) counts.insert(n);
  counts.erase(0);
  return counts;
}

}  // namespace

Facts facts_of(const Study& study) {
  const StudySpec& spec = study.spec;
  Facts facts;
  for (const Factor& factor : spec.factors) add_factor(facts, factor);
  for (const auto& [constant, value] : spec.constants) {
    add_name(facts, constant);
    add_name(facts, value.text);
    facts.constants.push_back({value.text, value.number, {constant}, "the constant `" + constant + "`", "", false});
  }
  for (const Metric& metric : spec.metrics) {
    facts.metrics.insert(metric.name);
    add_name(facts, metric.name);
    add_subject(facts, metric.name, true);
    if (!metric.unit.empty()) facts.units.insert(prose::lowered(metric.unit));
    if (metric.warmup > 0) add(facts, metric.warmup, {"warmup", "warm-up"}, "the warm-up of `" + metric.name + "`");
  }
  for (const Guard& guard : spec.guards) {
    if (guard.at_most) add(facts, *guard.at_most, {"at most", "limit"}, "the guard of `" + guard.metric + "`");
    if (guard.at_least) add(facts, *guard.at_least, {"at least", "limit"}, "the guard of `" + guard.metric + "`");
  }
  add_design(facts, spec);
  for (const HypothesisRecord& record : study.hypotheses) {
    add_constants(facts, spec, record.hypothesis);
    facts.ids.insert(record.hypothesis.id.text());
    add_name(facts, record.hypothesis.id.text());
    facts.hypotheses.push_back(hypothesis_facts(spec, record));
  }
  for (const Experiment& e : study.experiments) facts.ids.insert(e.registration.experiment.text());
  for (const Node& node : study.nodes) facts.ids.insert(node.id);
  for (const Claim& claim : study.claims) facts.ids.insert(claim.id);
  facts.ids.insert(study.id);
  facts.runs = static_cast<int>(study.runs.size());
  facts.proposals = proposal_counts(spec, study);
  for (const DataRecord& data : study.data) add_name(facts, data.name);
  for (const ProgramRecord& program : study.environment.programs) add_name(facts, program.version);
  for (const auto& [key, value] : study.environment.machine)
    if (!value.empty() && prose::letter(static_cast<unsigned char>(value[0]))) add_name(facts, value);
  for (const StageSpec& stage : spec.stages) add_name(facts, stage.name);
  for (const Work& work : spec.literature.works) {
    facts.works.emplace(work.key, cited(work));
    for (const std::string& part : work.parts) facts.works.emplace(work.key + "/" + part, cited(work));
  }
  return facts;
}

}  // namespace kernel

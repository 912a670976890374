#include "kernel/wording/statement.h"

#include <algorithm>

#include "prose/characters.h"
#include "prose/contradictions.h"

namespace kernel {

namespace {

bool is_time(const Metric& metric) {
  static const std::set<std::string> units = {"ns",      "us",  "µs",      "ms", "s",    "sec",
                                              "seconds", "min", "minutes", "h",  "hours"};
  return metric.type == MetricType::time || units.contains(metric.unit);
}

/// The name in lower case, and with `parts` its words of four letters or more.
void add_words(std::set<std::string>& words, const std::string& name, bool parts) {
  const std::string text = prose::lowered(name);
  if (text.size() > 1) words.insert(text);
  std::string part;
  for (const char c : parts ? text + "_" : "") {
    if (prose::letter(static_cast<unsigned char>(c))) {
      part += c;
    } else {
      if (part.size() >= 4) words.insert(part);
      part.clear();
    }
  }
}

void add_name(prose::Facts& facts, const std::string& name) {
  const bool plain = std::ranges::all_of(name, [](char c) { return prose::letter(static_cast<unsigned char>(c)); });
  if (!plain && !name.empty() && !prose::digit(static_cast<unsigned char>(name[0]))) facts.names.insert(name);
}

std::set<std::string> levels_beside(const Cell& of, const Cell& from) {
  std::set<std::string> levels;
  for (const auto& [factor, level] : of)
    if (const auto other = from.find(factor); other == from.end() || other->second != level) levels.insert(level);
  return levels;
}

/// True if a value of one comes from a value of the other.
bool are_related(const Metric& a, const Metric& b) {
  return (a.derived && a.derived->from == b.name) || (b.derived && b.derived->from == a.name) ||
         a.summary.target_metric == b.name || b.summary.target_metric == a.name;
}

}  // namespace

Reason statement_against_test(const StudySpec& spec, const Hypothesis& h, bool goal_known) {
  const Metric* metric = spec.metric(h.metric);
  if (!metric || h.statement.empty()) return {};
  prose::Facts facts;
  prose::TestFacts test;
  for (const Factor& factor : spec.factors) {
    add_name(facts, factor.name);
    add_words(test.factors, factor.name, true);
    for (const Level& level : factor.levels) {
      add_name(facts, level.name);
      add_words(facts.subjects, level.name, false);
    }
  }
  for (const Metric& one : spec.metrics) {
    add_name(facts, one.name);
    add_words(facts.subjects, one.name, true);
    const auto required = [&](const Requirement& r) { return r.metric == one.name; };
    if (one.name != h.metric && !are_related(one, *metric) && std::ranges::none_of(h.requirements, required))
      test.metrics.insert(one.name);
  }
  test.arms.id = h.id.text();
  test.arms.metric = h.metric;
  test.arms.lower_is_better = metric->goal == Goal::minimize;
  test.arms.treatment = levels_beside(h.treatment, h.control);
  test.arms.control = levels_beside(h.control, h.treatment);
  test.goal_known = goal_known || metric->goal == Goal::maximize || is_time(*metric);
  test.direction = static_cast<prose::TestFacts::Direction>(h.direction);
  // "Loses less accuracy" may be a greater difference.
  test.compares = !metric->derived && (h.kind == HypothesisKind::compare || h.kind == HypothesisKind::slope);
  if (h.kind == HypothesisKind::slope) {
    test.scale = static_cast<prose::TestFacts::Scale>(static_cast<int>(h.slope_scale) + 1);
    test.slope = h.slope_value;
  }
  const auto found = prose::contradiction(h.statement, facts, test);
  if (!found) return {};
  return {ReasonCode::statement_contradicts,
          {{"hypothesis", h.id.text()}, {"says", found->says}, {"tests", found->tests}}};
}

}  // namespace kernel

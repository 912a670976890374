#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/assert.h"
#include "kernel/domain/cells.h"
#include "kernel/search/code_search.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/search/two_metrics.h"
#include "kernel/study/continuation.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace kernel {

namespace {

constexpr std::size_t most_dead_ends = 12;

Reason result_of(const StudyTerms& study, const SearchPlan& plan, const Candidate& c) {
  if (!c.mean) return {ReasonCode::none_of_its_runs_succeeded, {{"failed", c.failed}}};
  if (!study.spec.objectives.empty() && c.second_mean) {
    const Metric& second = *both_metrics(study.spec)[1];
    Reason means = {ReasonCode::means_of_two_metrics, mean_values(*study.spec.metric(plan.metric), c)};
    means.values["second"] = second.name;
    means.values["second_mean"] = *c.second_mean;
    if (!second.unit.empty()) means.values["second_unit"] = second.unit;
    return means;
  }
  if (plan.rule.code == ReasonCode::rule_of_estimates && c.estimate && c.failed == 0) {
    Reason estimated = {ReasonCode::worse_by_the_model, mean_values(*study.spec.metric(plan.metric), c)};
    estimated.values["estimate"] = *c.estimate;
    return estimated;
  }
  return {c.failed ? ReasonCode::mean_over_runs_some_failed : ReasonCode::mean_over_runs,
          mean_values(*study.spec.metric(plan.metric), c)};
}

Node dead_end_of(const Study& study, Reason title, Reason mode, Reason why) {
  Node node = dead_end_node({search_node_id(study)}, study.spec.question);
  state_text(node, "title", std::move(title));
  state_text(node, "failure_mode", std::move(mode));
  state_text(node, "why_failed", std::move(why));
  state_text(node, "lesson", {ReasonCode::selection_only});
  return node;
}

std::vector<Node> dropped_candidates(const Study& study, const SearchPlan& plan, const RungRanked& ranked) {
  std::vector<const Candidate*> dropped;
  int kept = 0;
  for (const Candidate& c : ranked.candidates) {
    if (!c.kept && !c.baseline) dropped.push_back(&c);
    kept += c.kept ? 1 : 0;
  }
  std::vector<Node> nodes;
  const Reason mode = {ReasonCode::not_among_the_kept, {{"kept", kept}, {"rung", ranked.rung}}};
  for (std::size_t i = 0; i < dropped.size() && i < most_dead_ends; ++i)
    nodes.push_back(
        dead_end_of(study, {ReasonCode::dropped_in_rung, {{"cell", words_of(dropped[i]->cell)}, {"rung", ranked.rung}}},
                    mode, result_of(study, plan, *dropped[i])));
  if (dropped.size() > most_dead_ends)
    nodes.push_back(dead_end_of(
        study,
        {ReasonCode::more_dropped_in_rung,
         {{"candidates", static_cast<std::int64_t>(dropped.size() - most_dead_ends)}, {"rung", ranked.rung}}},
        mode, {study.spec.objectives.empty() ? ReasonCode::worse_than_those_named : ReasonCode::behind_those_named}));
  return nodes;
}

bool has_thaws(const SearchPlan& plan) {
  return std::ranges::any_of(plan.rungs, &Rung::thaws);
}

/// Candidates that never went on from their level, best first, those of later rungs before others. `last`: the last
/// ranking, whose candidates are not among them.
std::vector<Node> frozen_candidates(const Study& study, const RungRanked& last) {
  const Search& search = *study.search;
  std::set<Cell> named;
  for (const Candidate& c : last.candidates) named.insert(c.cell);
  std::vector<Node> nodes;
  std::int64_t more = 0;
  for (auto ranked = search.ranked.rbegin(); ranked != search.ranked.rend(); ++ranked) {
    const auto next = static_cast<std::size_t>(ranked->rung);
    if (!rises(search.plan.rungs, next)) continue;
    for (const Candidate& c : ranked->candidates) {
      Cell cell = c.cell;
      cell[search.plan.fidelity] = search.plan.rungs[next - 1].fidelity;
      const bool went_on = c.kept || (c.mean && !run_to_continue(study, cell, 1));
      if (c.baseline || went_on || !named.insert(c.cell).second) continue;
      if (nodes.size() >= most_dead_ends) {
        ++more;
        continue;
      }
      nodes.push_back(dead_end_of(
          study, {ReasonCode::frozen_since_rung, {{"cell", words_of(c.cell)}, {"rung", ranked->rung}}},
          {ReasonCode::never_thawed, {{"fidelity", search.plan.fidelity}}}, result_of(study, search.plan, c)));
    }
  }
  if (more > 0)
    nodes.push_back(dead_end_of(study, {ReasonCode::more_frozen, {{"candidates", more}}},
                                {ReasonCode::never_thawed, {{"fidelity", search.plan.fidelity}}},
                                {ReasonCode::behind_in_expectation}));
  return nodes;
}

std::vector<Node> dropped_factors(const Study& study, const RungRanked& ranked) {
  std::vector<Node> nodes;
  for (const FactorEffect& e : ranked.effects) {
    if (e.kept || e.factors.size() != 1) continue;
    Reason why = {ReasonCode::effect_not_estimable};
    if (e.effect) why = {ReasonCode::effect_without_error, {{"effect", *e.effect}}};
    if (e.effect && e.se) why = {ReasonCode::effect_with_error, {{"effect", *e.effect}, {"se", *e.se}}};
    nodes.push_back(dead_end_of(study, {ReasonCode::not_carried_forward, {{"name", e.factors[0]}}},
                                {ReasonCode::others_had_larger_effect}, std::move(why)));
  }
  return nodes;
}

}  // namespace

Node search_node(const Study& study, const SearchPlan& plan) {
  Node node;
  node.type = NodeType::experiment;
  Reason title = {ReasonCode::halving_title,
                  {{"experiment", plan.registered.experiment.text()},
                   {"cells", static_cast<std::int64_t>(plan.registered.cells.size())},
                   {"rungs", static_cast<std::int64_t>(plan.rungs.size())}}};
  if (plan.kind == StudyKind::screen) {
    title.code = ReasonCode::screening_title;
    title.values["factors"] = static_cast<std::int64_t>(study.spec.factors.size());
    title.values["design"] = design_words(plan);
  } else if (plan.code) {
    title.code = plan.code->keeps_or_discards() ? ReasonCode::ideas_title : ReasonCode::code_search_title;
    title.values["versions"] = plan.code->versions;
  } else if (plan.design == SearchDesign::model) {
    title.code = ReasonCode::model_title;
    title.values["runs"] = runs_of(plan, study.spec);
  }
  state_text(node, "title", std::move(title));
  node.parents = {study.nodes.back().id};
  node.fields["status"] = "selection";
  state_text(node, "exploration", {ReasonCode::rule_without_evidence, {{"rule", std::vector{plan.rule}}}});
  state_text(node, "result", {ReasonCode::selected_for_confirmation});
  node.evidence = {fmt::format("evidence/results/{}.md", plan.registered.experiment)};
  return node;
}

std::string search_node_id(const Study& study) {
  for (const Node& node : study.nodes)
    if (study.search && node.type == NodeType::experiment && node.fields.contains("registration") &&
        node.fields.at("registration") == study.search->hash)
      return node.id;
  return "";
}

std::vector<Node> dropped_nodes(const Study& study, const RungRanked& ranked) {
  const SearchPlan& plan = study.search->plan;
  if (plan.design == SearchDesign::model && !ranked.last) return {};
  if (plan.kind == StudyKind::screen) return dropped_factors(study, ranked);
  if (!has_thaws(plan)) return dropped_candidates(study, plan, ranked);
  // Those that do not go on now may do so later.
  if (!ranked.last && rises(plan.rungs, static_cast<std::size_t>(ranked.rung))) return {};
  std::vector<Node> nodes = dropped_candidates(study, plan, ranked);
  if (!ranked.last) return nodes;
  for (Node& node : frozen_candidates(study, ranked)) nodes.push_back(std::move(node));
  return nodes;
}

Node dead_end_node(std::vector<std::string> parents, std::string hypothesis) {
  Node node;
  node.type = NodeType::dead_end;
  node.parents = std::move(parents);
  node.fields["hypothesis"] = std::move(hypothesis);
  return node;
}

std::map<std::string, ReasonValue> mean_values(const Metric& metric, const Candidate& c) {
  ETUDE_ASSERT(c.mean);
  std::map<std::string, ReasonValue> values = {
      {"metric", metric.name}, {"mean", *c.mean}, {"runs", c.n + c.failed}, {"failed", c.failed}};
  if (!metric.unit.empty()) values["unit"] = metric.unit;
  return values;
}

bool nothing_kept(const RungRanked& ranked) {
  return std::ranges::none_of(ranked.candidates, [](const Candidate& c) { return c.kept; }) &&
         std::ranges::none_of(ranked.effects, [](const FactorEffect& e) { return e.kept; });
}

std::string design_words(const SearchPlan& plan) {
  static constexpr const char* roman[] = {"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"};
  switch (plan.design) {
    case SearchDesign::full:
      return "full factorial";
    case SearchDesign::fraction: {
      const std::size_t dropped = plan.generators.size();
      const std::size_t factors = plan.registered.cells.empty() ? 0 : plan.registered.cells.front().size();
      const auto resolution = static_cast<std::size_t>(plan.resolution);
      return fmt::format("2^({}-{}) fraction of resolution {}", factors, dropped,
                         resolution < std::size(roman) ? roman[resolution] : std::to_string(resolution));
    }
    case SearchDesign::latin:
      return "Latin hypercube";
    case SearchDesign::versions:
      return "versions of the code";
    case SearchDesign::model:
      return "proposals of a model";
    case SearchDesign::keep_or_discard:
      return "versions kept or discarded one by one";
    case SearchDesign::halving:
      break;
  }
  return "successive halving";
}

namespace {

ReasonCode title_code(CodeOperator op) {
  using enum ReasonCode;
  static constexpr std::array codes = {version_drafts, version_mends, version_improves, version_ablates,
                                       version_merges};
  static_assert(codes.size() == static_cast<std::size_t>(CodeOperator::merge) + 1);
  return codes[static_cast<std::size_t>(op)];
}

}  // namespace

std::string code_node_id(const Exploration& study, const std::string& version) {
  for (const Node& node : study.nodes)
    if (const auto named = node.fields.find("version"); named != node.fields.end() && named->second == version)
      return node.id;
  return "";
}

Node code_node(const Study& study, const CodeVersion& version) {
  Node node;
  node.type = NodeType::decision;
  std::string from;
  for (const std::string& parent : version.parents) {
    if (parent == original_code) continue;
    from += (from.empty() ? "" : " and ") + parent;
    if (std::string id = code_node_id(study, parent); !id.empty()) node.parents.push_back(std::move(id));
  }
  if (node.parents.empty()) node.parents = {search_node_id(study)};
  Reason title = {title_code(version.op), {{"version", version.id}}};
  if (!from.empty()) title.values["from"] = std::move(from);
  state_text(node, "title", std::move(title));
  node.fields["version"] = version.id;
  node.fields["choice"] = version.why;
  state_text(node, "rationale",
             {ReasonCode::diff_of_version, {{"version", version.id}, {"workspace", version.workspace.hash.text()}}});
  node.alternatives = {"the code as it was"};
  return node;
}

std::vector<Node> code_dead_ends(const Study& study, const RungRanked& ranked) {
  std::vector<Node> nodes;
  const Metric& metric = study.spec.primary();
  const bool one_by_one = study.spec.code->keeps_or_discards();
  for (const Candidate& c : ranked.candidates) {
    if (c.baseline || c.kept) continue;
    const std::string& id = c.cell.at(code_factor);
    // Those that were discarded have theirs, and those that a later base took the place of are none.
    if (one_by_one && ranked.last && unmet(study, id).empty()) continue;
    const CodeVersion* version = study.code.version(id);
    Node node = dead_end_node({code_node_id(study, id)}, version ? version->why : study.spec.question);
    const auto say = [&](const char* field, ReasonCode code, std::map<std::string, ReasonValue> values = {}) {
      values["version"] = id;
      state_text(node, field, {code, std::move(values)});
    };
    if (const Run* failed = c.mean ? nullptr : failed_run(study, id)) {
      say("title", ReasonCode::version_does_not_run);
      say("failure_mode", ReasonCode::no_run_of_it_succeeded);
      state_text(node, "why_failed", failed->reason.empty() ? Reason{ReasonCode::its_run_failed} : failed->reason);
      const bool mended = std::ranges::any_of(study.code.versions, [&](const auto& other) {
        return other.op == CodeOperator::debug && other.parents.front() == id;
      });
      say("lesson", mended ? ReasonCode::mended_later : ReasonCode::never_mended, {{"run", failed->number}});
    } else if (const auto lacking = unmet(study, id); !lacking.empty()) {
      const std::string& requirement = lacking.front()->id;
      say("title", ReasonCode::version_lacks_requirement);
      say("failure_mode", ReasonCode::requirement_not_met_by_code, {{"requirement", requirement}});
      say("why_failed", ReasonCode::reviewer_found_it_lacking);
      say("lesson", ReasonCode::report_says_what_is_required, {{"requirement", requirement}});
    } else if (one_by_one) {
      say("title", ReasonCode::idea_discarded);
      say("failure_mode", ReasonCode::not_above_floor);
      state_text(node, "why_failed", why_discarded(study, ranked));
      say("lesson", ReasonCode::idea_not_tested);
    } else {
      say("title", ReasonCode::not_carried_forward, {{"name", id}});
      say("failure_mode", ReasonCode::others_had_better_mean);
      if (c.mean)
        say("why_failed", ReasonCode::mean_over_runs, mean_values(metric, c));
      else
        say("why_failed", ReasonCode::never_run);
      say("lesson", ReasonCode::selection_only);
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace kernel

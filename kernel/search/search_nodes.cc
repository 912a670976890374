#include "kernel/search/search_nodes.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/domain/cells.h"
#include "prose/numbers.h"

namespace kernel {

namespace {

constexpr std::size_t most_dead_ends = 12;
const char* const selection_only = "Selection, not evidence: it was not tested whether it differs from what was kept.";

std::string result_words(const StudyTerms& study, const SearchPlan& plan, const Candidate& c) {
  const Metric& metric = *study.spec.metric(plan.metric);
  if (!c.mean) return fmt::format("none of its {} runs succeeded", c.failed);
  return fmt::format("its mean {} was {}{}{} over {} runs{}", plan.metric, prose::rounded(*c.mean),
                     metric.unit.empty() ? "" : " ", metric.unit, c.n + c.failed,
                     c.failed ? fmt::format(", {} of them failed", c.failed) : "");
}

Node dead_end_of(const Study& study, std::string title, std::string mode, std::string why) {
  Node node;
  node.type = NodeType::dead_end;
  node.title = std::move(title);
  node.parents = {search_node_id(study)};
  node.fields["hypothesis"] = study.spec.question;
  node.fields["failure_mode"] = std::move(mode);
  node.fields["why_failed"] = std::move(why);
  node.fields["lesson"] = selection_only;
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
  const std::string mode = fmt::format("not among the {} of rung {} that went on", kept, ranked.rung);
  for (std::size_t i = 0; i < dropped.size() && i < most_dead_ends; ++i)
    nodes.push_back(dead_end_of(study, fmt::format("{} dropped in rung {}", words_of(dropped[i]->cell), ranked.rung),
                                mode, result_words(study, plan, *dropped[i])));
  if (dropped.size() > most_dead_ends)
    nodes.push_back(dead_end_of(
        study, fmt::format("{} more candidates dropped in rung {}", dropped.size() - most_dead_ends, ranked.rung), mode,
        "their means were worse than those of the candidates named beside them"));
  return nodes;
}

std::vector<Node> dropped_factors(const Study& study, const RungRanked& ranked) {
  std::vector<Node> nodes;
  for (const FactorEffect& e : ranked.effects) {
    if (e.kept || e.factors.size() != 1) continue;
    const std::string why =
        !e.effect ? std::string("its effect cannot be estimated: no run at one of its levels succeeded")
        : e.se    ? fmt::format("its effect was {} with a standard error of {}", prose::rounded(*e.effect),
                                prose::rounded(*e.se))
               : fmt::format("its effect was {}, with no replicates to tell its error from", prose::rounded(*e.effect));
    nodes.push_back(dead_end_of(study, fmt::format("{} was not carried forward", e.factors[0]),
                                "others had a larger effect for its standard error", why));
  }
  return nodes;
}

}  // namespace

Node search_node(const Study& study, const SearchPlan& plan) {
  Node node;
  node.type = NodeType::experiment;
  node.title = plan.kind == StudyKind::screen
                   ? fmt::format("{}: screening {} factors in {} cells ({})", plan.registered.experiment,
                                 study.spec.factors.size(), plan.registered.cells.size(), design_words(plan))
               : plan.code ? fmt::format("{}: engineers write up to {} versions of the code",
                                         plan.registered.experiment, plan.code->versions)
                           : fmt::format("{}: {} candidates, {} rungs of successive halving",
                                         plan.registered.experiment, plan.registered.cells.size(), plan.rungs.size());
  node.parents = {study.nodes.back().id};
  node.fields["status"] = "selection";
  node.fields["exploration"] = plan.rule + " Its runs are never evidence for a claim.";
  node.fields["result"] = "selected what is confirmed on fresh seeds; no verdict";
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
  return plan.kind == StudyKind::screen ? dropped_factors(study, ranked) : dropped_candidates(study, plan, ranked);
}

bool nothing_kept(const RungRanked& ranked) {
  return std::none_of(ranked.candidates.begin(), ranked.candidates.end(), [](const Candidate& c) { return c.kept; }) &&
         std::none_of(ranked.effects.begin(), ranked.effects.end(), [](const FactorEffect& e) { return e.kept; });
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
    case SearchDesign::halving:
      break;
  }
  return "successive halving";
}

}  // namespace kernel

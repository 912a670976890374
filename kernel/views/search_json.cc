#include <nlohmann/json.hpp>

#include "kernel/codec/json_types.h"
#include "kernel/search/advice.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/two_metrics.h"
#include "kernel/study/search_scores.h"
#include "kernel/views/json_parts.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"

namespace kernel {

using nlohmann::json;

namespace {

json gain_shape(const RungRanked* ranked) {
  if (!ranked) return nullptr;
  return {{"gain", ranked->floor->gain ? json(*ranked->floor->gain) : json()},
          {"floor", ranked->floor->least},
          {"compared", ranked->floor->compared}};
}

/// The noise that was measured first, and what became of each version.
void add_ideas(const Study& study, json& shape) {
  const auto noise = measured_noise(study);
  shape["noise"] = noise ? json{{"runs", noise->runs}, {"sd", noise->sd}, {"quantile", noise->quantile}} : json();
  shape["base"] = base_of_ideas(study);
  shape["ideas"] = json::array();
  for (const Idea& idea : ideas_of(study))
    shape["ideas"].push_back({{"version", idea.version->id},
                              {"base", or_null(idea.base)},
                              {"first", gain_shape(idea.first)},
                              {"retest", gain_shape(idea.second)},
                              {"kept", idea.kept()},
                              {"lines", idea.version->lines},
                              {"memory_bytes", idea.memory ? json(*idea.memory) : json()}});
}

json code_shape(const Study& study) {
  json versions = json::array();
  for (const CodeScore& score : code_scores(study)) {
    json one = {{"version", score.id()}, {"n", score.n}, {"failed", score.failed}};
    if (score.version) {
      one["operator"] = json(score.version->op);
      one["parents"] = score.version->parents;
      one["step"] = score.version->step;
      one["why"] = score.version->why;
      one["workspace"] = score.version->workspace.hash;
      one["diff"] = score.version->diff.sha256;
    }
    versions.push_back(std::move(one));
  }
  return {{"round", study.code.round},
          {"steps", study.code.steps},
          {"versions", std::move(versions)},
          {"over", or_null(sentence(study.code.over, study.wording))}};
}

/// Both metrics, how far hypervolume counts in each, and how much there was after each ranking.
void add_front(const Study& study, json& shape) {
  const std::optional<Covered> area = covered(study);
  if (!area) return;
  const std::array<const Metric*, 2> metrics = both_metrics(study.spec);
  for (std::size_t j = 0; j < 2; ++j)
    shape["objectives"][j]["reference"] = number_json(unturned(*metrics[j], area->reference[j]));
  shape["hypervolume"] = area->after;
}

}  // namespace

json search_plan_shape(const SearchPlan& plan, int wording) {
  // Members of searches by a model are in no document of another search.
  json rungs = json::array();
  for (const Rung& rung : plan.rungs) {
    rungs.push_back({{"candidates", rung.candidates},
                     {"replicates", rung.replicates},
                     {"fidelity", or_null(rung.fidelity)},
                     {"refines", rung.refines}});
    if (plan.design == SearchDesign::model || rung.proposes) rungs.back()["proposes"] = rung.proposes;
    if (rung.thaws) rungs.back()["thaws"] = true;
  }
  json confirm = {{"top", plan.top}, {"replicates", plan.confirm_replicates}};
  if (plan.confirm_most > 0) confirm["most"] = plan.confirm_most;
  json shape = {{"experiment", plan.registered.experiment},
                {"design", json(plan.design)},
                {"metric", plan.metric},
                {"goal", json(plan.goal)},
                {"cells", plan.registered.cells.size()},
                {"resolution", plan.resolution ? json(plan.resolution) : json()},
                {"generators", plan.generators},
                {"aliases", plan.aliases},
                {"baseline", plan.baseline ? json(*plan.baseline) : json()},
                {"fidelity", or_null(plan.fidelity)},
                {"eta", plan.eta},
                {"rungs", std::move(rungs)},
                {"confirm", std::move(confirm)},
                {"rule", sentence(plan.rule, wording)}};
  for (const Objective& objective : plan.objectives) {
    const Metric* metric = find_by(plan.registered.metrics, &Metric::name, objective.metric);
    shape["objectives"].push_back({{"metric", objective.metric},
                                   {"goal", json(metric ? metric->goal : plan.goal)},
                                   {"limit", objective.limit ? number_json(*objective.limit) : json()},
                                   {"margin", number_json(objective.margin)}});
  }
  return shape;
}

json search_shape(const Study& study) {
  if (!study.search) return nullptr;
  json shape = search_plan_shape(study.search->plan, study.wording);
  shape["hash"] = study.search->hash;
  if (study.spec.code) shape["code"] = code_shape(study);
  if (study.spec.code && study.spec.code->keeps_or_discards()) add_ideas(study, shape["code"]);
  shape["ranked"] = json::array();
  for (const RungRanked& rung : study.search->ranked) shape["ranked"].push_back(json(rung));
  add_front(study, shape);
  if (study.search->plan.design == SearchDesign::model || study.search->plan.design == SearchDesign::keep_or_discard)
    shape["advice"] = sentences(search_advice(study), study.wording);
  return shape;
}

}  // namespace kernel

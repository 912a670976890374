#include "apps/session/plan/gate_plan.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "kernel/design/design.h"
#include "kernel/runs/command_line.h"
#include "kernel/verdicts/analyse_experiment.h"
#include "kernel/views/json_parts.h"
#include "kernel/wording/wording.h"

namespace session {

namespace {

using nlohmann::json;

/// The study file with the hypotheses that are proposed, and with the family that is fixed.
kernel::StudySpec with_proposals(const kernel::Study& study) {
  kernel::StudySpec spec = study.spec;
  spec.hypotheses.clear();
  for (const kernel::HypothesisRecord* record : study.open_batch()) spec.hypotheses.push_back(record->hypothesis);
  if (study.family > 0) spec.design.family = study.family;
  return spec;
}

json part(const char* purpose, kernel::RunCount runs) {
  return {{"purpose", purpose}, {"runs", count_shape(runs)}};
}

/// The parts that have runs.
json parts_of(std::initializer_list<std::pair<const char*, kernel::RunCount>> all) {
  json parts = json::array();
  for (const auto& [purpose, runs] : all)
    if (runs.most > 0) parts.push_back(part(purpose, runs));
  return parts;
}

/// The command of the study file, with its placeholders.
json command_of(const kernel::StudySpec& spec) {
  return spec.run.words.size() == 3 && spec.run.words[0] == "sh" && spec.run.words[1] == "-c" ? json(spec.run.words[2])
                                                                                              : json(spec.run.words);
}

/// Before the manipulation check: all runs of the design.
json whole_design(const kernel::Study& study, const PlanPlace& place) {
  const kernel::StudySpec spec = with_proposals(study);
  const kernel::StudyPlan plan = kernel::plan_of(spec);
  const auto exactly = [](int runs) { return kernel::RunCount{runs, runs}; };
  kernel::RunCount replicates{0, 0};
  for (const kernel::PlannedHypothesis& h : plan.hypotheses) {
    replicates.least = replicates.most == 0 ? h.replicates.least : std::min(replicates.least, h.replicates.least);
    replicates.most = std::max(replicates.most, h.replicates.most);
  }
  const auto measures = [](const kernel::PlannedCell& cell) { return cell.stage.empty(); };
  return {{"cells", std::ranges::count_if(plan.cells, measures)},
          {"replicates", count_shape(replicates)},
          {"runs", count_shape(plan.total)},
          {"parts", parts_of({{"manipulation check", exactly(plan.smoke)},
                              {"pilot", exactly(plan.pilot)},
                              {"warm-up", exactly(plan.warmup)},
                              {"registered", plan.registered},
                              {"control against itself", plan.aa},
                              {"repeats", exactly(plan.repeats)}})},
          {"hypotheses", planned_hypotheses_shape(plan)},
          {"commands", planned_cells_shape(plan)},
          {"cost", time_shape(planned_time(spec, plan.least, plan.most, place, study.jobs))},
          {"shortfall", plan.shortfall.empty() ? json() : json(plan.shortfall)}};
}

/// Before the registration: exactly its runs.
json registered_design(const kernel::Study& study, const PlanPlace& place) {
  kernel::Study sized = study;
  if (!sized.sized) sized.sized = kernel::size_sample(sized);
  std::vector<kernel::HypothesisId> ids;
  for (const kernel::HypothesisRecord* record : sized.open_batch()) ids.push_back(record->hypothesis.id);
  const kernel::Registration registration = kernel::registration_of(sized, ids, kernel::planning_draw());
  kernel::RunsQueued warmup = kernel::warmup_runs(sized, registration);
  kernel::RunsQueued runs = kernel::registered_runs(sized, registration);
  const int warm = static_cast<int>(warmup.runs.size()), all = static_cast<int>(runs.runs.size());
  const int aa = static_cast<int>(std::ranges::count_if(runs.runs, [](const auto& run) { return run.aa; }));
  const int repeats =
      static_cast<int>(std::ranges::count_if(runs.runs, [](const auto& run) { return run.repeats > 0; }));
  kernel::PlannedWork work;
  for (auto* queued : {&warmup, &runs}) {
    for (kernel::Cell& cell : queued->cells) cell = kernel::shown_cell(kernel::cell_shape(sized.spec, cell));
    work.add("registered", *queued, sized.spec);
  }
  kernel::RunCount replicates{0, 0};
  json hypotheses = json::array();
  for (const kernel::SizeRecord& size : sized.sized->sizes) {
    const kernel::HypothesisRecord* record = sized.hypothesis(size.hypothesis);
    if (!record) continue;  // The planted effect, which is not of the family.
    replicates.least = replicates.most == 0 ? size.replicates : std::min(replicates.least, size.replicates);
    replicates.most = std::max(replicates.most, size.replicates);
    const json power = size.power ? json(*size.power) : json();
    hypotheses.push_back({{"id", size.hypothesis},
                          {"statement", record->hypothesis.statement},
                          {"treatment", record->hypothesis.treatment},
                          {"control", record->hypothesis.control},
                          {"where", record->hypothesis.where},
                          {"replicates", count_shape({size.replicates, size.replicates})},
                          {"power", {{"min", power}, {"max", power}}},
                          {"note", kernel::newest_words(size.how)}});
  }
  const std::string outlook = kernel::budget_outlook(sized);
  return {{"cells", registration.cells.size()},
          {"replicates", count_shape(replicates)},
          {"runs", count_shape({warm + all, warm + all})},
          {"parts", parts_of({{"warm-up", {warm, warm}},
                              {"registered", {all - aa - repeats, all - aa - repeats}},
                              {"control against itself", {aa, aa}},
                              {"repeats", {repeats, repeats}}})},
          {"hypotheses", std::move(hypotheses)},
          {"commands", json::array()},
          {"cost", time_shape(planned_time(sized.spec, work, work, place, sized.jobs))},
          {"shortfall", outlook.empty() ? json() : json(outlook)}};
}

}  // namespace

json gate_plan_shape(const kernel::Study& study, kernel::GateOn on, const PlanPlace& place) {
  const bool on_hypotheses = on == kernel::GateOn::hypotheses;
  if ((!on_hypotheses && on != kernel::GateOn::experiments) || study.open_batch().empty()) return nullptr;
  json shape = on_hypotheses && study.spec.kind == kernel::StudyKind::test ? whole_design(study, place)
                                                                           : registered_design(study, place);
  shape["command"] = command_of(study.spec);
  return shape;
}

}  // namespace session

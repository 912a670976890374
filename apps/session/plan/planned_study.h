#pragma once
// The plan of a study file, as `etude plan` and the HTTP API give it: design, commands, runs, power, time, cost and
// warnings. Only reads; any thread.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "executors/backend/backend.h"
#include "kernel/outlook/prediction.h"
#include "kernel/views/plan.h"
#include "studyfile/load.h"

namespace session {

/// How long runs will take, if earlier runs say it.
struct PlannedTime {
  int jobs = 1;
  std::string basis;  ///< In words; why it is not known, if it is not.
  std::optional<kernel::Prediction> prediction;
};

struct PlannedStudy {
  kernel::StudySpec spec;
  kernel::StudyPlan plan;
  PlannedTime time;
  std::optional<kernel::ProgramRecord> environment;
  std::vector<kernel::Problem> warnings;
  kernel::IgnoredFiles ignored;
  std::vector<kernel::PaidAnswers> answers{};  ///< What its inputs cost before, as they are now.
};

/// Where a plan is made. Borrowed.
struct PlanPlace {
  const std::string& home;
  const executors::Backend& backend;
  /// Why a study's agents cannot work; none if they can.
  std::function<std::optional<kernel::Problem>(const kernel::StudySpec&)> missing_models;
};

/// `file`: the study file as warnings name it. `jobs`: runs at once; 0: as many as the machine allows. A problem if the
/// evaluator's files cannot be protected.
kernel::Result<PlannedStudy> planned_study(const studyfile::Parsed&, const std::string& file, const PlanPlace&,
                                           int jobs);
/// The document of `etude plan --json`.
nlohmann::json plan_shape(const PlannedStudy&);

/// Of runs between `least` and `most`, from what runs of these commands took in this home.
PlannedTime planned_time(const kernel::StudySpec&, const kernel::PlannedWork& least, const kernel::PlannedWork& most,
                         const PlanPlace&, int jobs);
/// {"jobs","wall_s","run_s","gpu_hours","energy_j","basis"}; null where no earlier run says it.
nlohmann::json time_shape(const PlannedTime&);

/// [{"id","statement","treatment","control","where","cells","replicates","power", …}]
nlohmann::json planned_hypotheses_shape(const kernel::StudyPlan&);
/// [{"stage","factors","command"}]
nlohmann::json planned_cells_shape(const kernel::StudyPlan&);
/// {"min","max"}
nlohmann::json count_shape(kernel::RunCount);
/// {"expected","low","high"}
nlohmann::json expected_shape(const kernel::Expected&);
/// What ignore files keep out of the workspace: {"count","bytes","largest"}.
nlohmann::json left_out_shape(const kernel::IgnoredFiles&);

/// Whether models play the study's agents.
bool of_models(const kernel::StudySpec&);
/// What the models of its agents may cost.
std::string models_cost(const kernel::StudySpec&);
/// The purposes of the runs that a tier of the evaluator scores.
std::vector<std::string> scored_by(const kernel::StudySpec&, kernel::Tier);

}  // namespace session

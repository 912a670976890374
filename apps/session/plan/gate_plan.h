#pragma once
// What a person allows by approving a gate before runs: which runs of which cells, with which commands, power and time.
// Reads the home for the times of earlier runs; any thread.

#include <nlohmann/json_fwd.hpp>

#include "apps/session/plan/planned_study.h"
#include "kernel/domain/study_spec.h"
#include "kernel/study/state.h"

namespace session {

/// {"cells","replicates","runs","parts":[{"purpose","runs"}],"hypotheses","commands","command","cost","shortfall"} for
/// a gate on hypotheses or experiments; null for other gates. `runs`: those that follow until the verdicts.
nlohmann::json gate_plan_shape(const kernel::Study&, kernel::GateOn, const PlanPlace&);

}  // namespace session

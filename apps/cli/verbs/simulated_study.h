#pragma once
// `etude simulate STUDY.yaml`: how long a study's runs would take on pools of several sizes, and what they would cost,
// from what earlier runs took. Starts nothing.

#include <string>

#include "apps/cli/terminal/command_context.h"
#include "apps/session/plan/simulation.h"

namespace cli {

struct SimulatedStudy {
  std::string study;  ///< The study file.
  session::PoolQuery pools;
};

int simulate_study(const Context&, const SimulatedStudy&);

}  // namespace cli

#pragma once
// `etude simulate STUDY.yaml`: how long a study's runs would take on pools of several sizes, and what they would cost,
// from what earlier runs took. Starts nothing.

#include <optional>
#include <string>

#include "apps/cli/terminal/command_context.h"

namespace cli {

struct SimulatedStudy {
  std::string study;  ///< The study file.
  int gpus = 0, jobs = 0;
  std::string type;                        ///< Of the GPUs; only the price depends on it.
  std::optional<double> usd_per_gpu_hour;  ///< Else the configuration's price of the type.
};

int simulate_study(const Context&, const SimulatedStudy&);

}  // namespace cli

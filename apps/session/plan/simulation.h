#pragma once
// How long a study's runs would take on pools of several sizes, and what they would cost, from what earlier runs took.
// Only reads and starts nothing; any thread.

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

/// The pools that are asked for. Problems name the members.
struct PoolQuery {
  int gpus = 0;      ///< Of the largest pool. 0: as many as the machine has.
  int jobs = 0;      ///< The most runs at once; of a study without GPUs the largest pool. 0: as the machine allows.
  std::string type;  ///< Of the GPUs; only the price depends on it.
  std::optional<double> usd_per_gpu_hour;  ///< Else the configuration's price of the type.
};

/// A pool, and what is predicted for it.
struct SimulatedPool {
  int size = 0;  ///< GPUs, or runs at once.
  std::optional<kernel::Prediction> prediction;
};

/// Money of a prediction in US dollars.
struct PoolCost {
  double used = 0;  ///< For the GPU hours of the runs.
  double held = 0;  ///< For the whole pool until the last run has ended.
};

struct Simulation {
  std::string title, type, basis;
  kernel::StudyPlan plan;
  int need = 0;  ///< GPUs of the run that needs the most; 0: the runs use none.
  std::optional<double> price;
  std::vector<SimulatedPool> pools;  ///< The largest one last.

  bool on_gpus() const { return need > 0; }
  std::optional<PoolCost> cost_of(const SimulatedPool&) const;
};

/// The configuration's price of this type of GPU; none if it has none.
using GpuPrice = std::function<kernel::Result<std::optional<double>>(const std::string& type)>;

/// `file`: the study file as problems name it. A problem if the pools do not fit the study, or no run of its commands
/// has ended in the home.
kernel::Result<Simulation> simulated(const studyfile::Parsed&, const std::string& file, const PoolQuery&,
                                     const std::string& home, const executors::Backend&, const GpuPrice&);
/// The document of `etude simulate STUDY --json`.
nlohmann::json simulation_shape(const Simulation&);

}  // namespace session

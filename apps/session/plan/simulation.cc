#include "apps/session/plan/simulation.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/session/plan/planned_study.h"
#include "apps/session/prepare/prepare.h"
#include "apps/session/prepare/run_history.h"
#include "base/shell_text.h"
#include "kernel/study/ledger.h"

namespace session {

namespace {

using nlohmann::json;

json pool_shape(const Simulation& simulation, const SimulatedPool& pool) {
  json shape = {{simulation.on_gpus() ? "gpus" : "jobs", pool.size},
                {"wall_s", nullptr},
                {"gpu_hours", nullptr},
                {"usd", nullptr},
                {"held_usd", nullptr},
                {"energy_j", nullptr}};
  if (!pool.prediction) return shape;
  shape["wall_s"] = expected_shape(pool.prediction->wall_s);
  shape["gpu_hours"] = expected_shape(pool.prediction->gpu_hours);
  if (const auto cost = simulation.cost_of(pool)) {
    shape["usd"] = cost->used;
    shape["held_usd"] = cost->held;
  }
  if (pool.prediction->joules) shape["energy_j"] = *pool.prediction->joules;
  return shape;
}

json timeline_shape(const kernel::PlannedWork& work, const kernel::RunSchedule& schedule) {
  json runs = json::array();
  for (std::size_t i = 0; i < schedule.runs.size(); ++i) {
    const kernel::ScheduledRun& run = schedule.runs[i];
    runs.push_back({{"part", work.parts[static_cast<std::size_t>(run.part)]},
                    {"places", run.places},
                    {"from_s", run.from_s},
                    {"to_s", run.to_s},
                    {"factors", work.kinds[static_cast<std::size_t>(work.runs[i].kind)].cell}});
  }
  return runs;
}

}  // namespace

std::optional<PoolCost> Simulation::cost_of(const SimulatedPool& pool) const {
  if (!price || !on_gpus() || !pool.prediction) return std::nullopt;
  const double hours = pool.prediction->wall_s.value / kernel::seconds_an_hour;
  return PoolCost{*price * pool.prediction->gpu_hours.value, *price * hours * pool.size};
}

kernel::Result<Simulation> simulated(const studyfile::Parsed& parsed, const std::string& file, const PoolQuery& query,
                                     const std::string& home, const executors::Backend& backend,
                                     const GpuPrice& price_of) {
  const kernel::StudySpec& spec = parsed.spec;
  Simulation simulation{spec.title, query.type, "", kernel::plan_of(spec), 0, query.usd_per_gpu_hour, {}};
  const kernel::StudyPlan& plan = simulation.plan;
  for (const kernel::PlannedWork::Kind& kind : plan.most.kinds) simulation.need = std::max(simulation.need, kind.gpus);
  const int need = simulation.need;
  const bool on_gpus = simulation.on_gpus();
  if (query.gpus > 0 && !on_gpus)
    return kernel::Problem{"", 0, "gpus", "the runs of this study ask for none (`resources.gpus`)",
                           "give `jobs`: how many run at once"};
  if (query.gpus > 0 && query.gpus < need)
    return kernel::Problem{"", 0, "gpus", fmt::format("a run of this study needs {}", need), "give at least as many"};
  if (!query.type.empty() && !on_gpus)
    return kernel::Problem{"", 0, "type", "the runs of this study use no GPU", "leave it out"};
  if (on_gpus && !simulation.price) {
    const auto known = price_of(query.type);
    if (!known) return known.problem();
    simulation.price = *known;
  }
  const RunHistory history = run_history(home, spec);
  if (history.times.empty())
    return kernel::Problem{file, 0, "", "no run of these commands has ended in this home",
                           "measure one: etude try " + kernel::shell_word(file)};
  simulation.basis = kernel::basis_words(history.basis_for(plan.most));
  const int own_gpus = std::max(need, static_cast<int>(backend.machine().gpus.size()));
  const int own_jobs = default_jobs(backend.cores(), spec);
  const int most = on_gpus ? (query.gpus > 0 ? query.gpus : own_gpus) : query.jobs > 0 ? query.jobs : own_jobs;
  const kernel::DurationModel model(history.times);
  for (const int size : kernel::pool_sizes(most)) {
    // Without `jobs`, CPUs are no limit of a pool of GPUs.
    const kernel::RunPool pool =
        on_gpus ? kernel::RunPool{query.jobs > 0 ? query.jobs : size, size} : kernel::RunPool{size, 0};
    simulation.pools.push_back({size, kernel::predicted(plan.least, plan.most, model, pool, history.gap_s)});
  }
  return simulation;
}

json simulation_shape(const Simulation& simulation) {
  const kernel::StudyPlan& plan = simulation.plan;
  json pools = json::array();
  for (const SimulatedPool& pool : simulation.pools) pools.push_back(pool_shape(simulation, pool));
  return {{"title", simulation.title},
          {"runs", {{"min", plan.least.runs.size()}, {"max", plan.most.runs.size()}}},
          {"basis", simulation.basis},
          {"interval", kernel::prediction_words},
          {"type", simulation.type.empty() ? json() : json(simulation.type)},
          {"usd_per_gpu_hour", simulation.price ? json(*simulation.price) : json()},
          {"pools", std::move(pools)},
          {"timeline", timeline_shape(plan.most, simulation.pools.back().prediction->timeline)}};
}

}  // namespace session

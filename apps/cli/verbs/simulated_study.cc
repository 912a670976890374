#include "apps/cli/verbs/simulated_study.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/table.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/session/plan/planned_study.h"
#include "apps/session/prepare/prepare.h"
#include "apps/session/prepare/read_study.h"
#include "apps/session/prepare/run_history.h"
#include "base/shell_text.h"
#include "config/config.h"
#include "kernel/outlook/prediction.h"
#include "kernel/study/ledger.h"
#include "kernel/views/plan.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace cli {

namespace {

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

std::optional<PoolCost> cost_of(const SimulatedPool& pool, bool on_gpus, const std::optional<double>& price) {
  if (!price || !on_gpus || !pool.prediction) return std::nullopt;
  const double hours = pool.prediction->wall_s.value / kernel::seconds_an_hour;
  return PoolCost{*price * pool.prediction->gpu_hours.value, *price * hours * pool.size};
}

nlohmann::json pool_json(const SimulatedPool& pool, bool on_gpus, const std::optional<double>& price) {
  nlohmann::json shape = {{on_gpus ? "gpus" : "jobs", pool.size},
                          {"wall_s", nullptr},
                          {"gpu_hours", nullptr},
                          {"usd", nullptr},
                          {"held_usd", nullptr},
                          {"energy_j", nullptr}};
  if (!pool.prediction) return shape;
  shape["wall_s"] = session::expected_shape(pool.prediction->wall_s);
  shape["gpu_hours"] = session::expected_shape(pool.prediction->gpu_hours);
  if (const auto cost = cost_of(pool, on_gpus, price)) {
    shape["usd"] = cost->used;
    shape["held_usd"] = cost->held;
  }
  if (pool.prediction->joules) shape["energy_j"] = *pool.prediction->joules;
  return shape;
}

nlohmann::json timeline_json(const kernel::PlannedWork& work, const kernel::RunSchedule& schedule) {
  nlohmann::json runs = nlohmann::json::array();
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

/// A row for each place and a column for each piece of time: the number of the part that runs there for most of it.
std::string timeline_text(const kernel::PlannedWork& work, const kernel::RunSchedule& schedule, int places,
                          const char* place_name, int width) {
  constexpr int most_rows = 16;
  const int rows = std::min(places, most_rows);
  const int columns = std::clamp(width - 12, 20, 100);
  const double column_s = schedule.makespan_s / columns;
  if (column_s <= 0) return "";
  const auto parts = work.parts.size();
  std::vector<std::vector<std::vector<double>>> busy(
      static_cast<std::size_t>(rows),
      std::vector<std::vector<double>>(static_cast<std::size_t>(columns), std::vector<double>(parts, 0)));
  for (const kernel::ScheduledRun& run : schedule.runs)
    for (const int place : run.places) {
      if (place >= rows) continue;
      const int last = std::min(columns - 1, static_cast<int>(run.to_s / column_s));
      for (int column = static_cast<int>(run.from_s / column_s); column <= last; ++column)
        busy[static_cast<std::size_t>(place)][static_cast<std::size_t>(column)][static_cast<std::size_t>(run.part)] +=
            std::min(run.to_s, (column + 1) * column_s) - std::max(run.from_s, column * column_s);
    }
  std::string text;
  for (int row = 0; row < rows; ++row) {
    std::string line;
    for (const std::vector<double>& column : busy[static_cast<std::size_t>(row)]) {
      double all = 0;
      for (const double seconds : column) all += seconds;
      const auto part = std::ranges::max_element(column) - column.begin();
      line += all < column_s / 2 ? '.' : part < 9 ? static_cast<char>('1' + part) : '+';
    }
    text += fmt::format("{:>4} {:<3} |{}|\n", place_name, row, line);
  }
  if (places > rows) text += fmt::format("         and {} more\n", places - rows);
  std::string legend;
  for (std::size_t i = 0; i < parts; ++i)
    legend += fmt::format("{}{} {}", i ? ", " : "", i < 9 ? std::to_string(i + 1) : "+", work.parts[i]);
  return text + fmt::format("         {}; a column is {}\n", legend, prose::duration_text(column_s));
}

std::string usd_text(double usd) {
  return usd < 0.01 && usd > 0 ? fmt::format("${:.2g}", usd) : fmt::format("${:.2f}", usd);
}

}  // namespace

int simulate_study(const Context& context, const SimulatedStudy& options) {
  const auto parsed = session::read_study(context.home(), options.study);
  if (!parsed) return fail(bad_input, parsed.problem());
  const kernel::StudySpec& spec = parsed->spec;
  const kernel::StudyPlan plan = kernel::plan_of(spec);
  int need = 0;
  for (const kernel::PlannedWork::Kind& kind : plan.most.kinds) need = std::max(need, kind.gpus);
  const bool on_gpus = need > 0;
  if (options.gpus > 0 && !on_gpus)
    return fail(bad_input, "--gpus", "the runs of this study ask for none (`resources.gpus`)",
                "give --jobs: how many run at once");
  if (options.gpus > 0 && options.gpus < need)
    return fail(bad_input, "--gpus", fmt::format("a run of this study needs {}", need), "give at least as many");
  if (!options.type.empty() && !on_gpus)
    return fail(bad_input, "--type", "the runs of this study use no GPU", "leave it out");

  std::optional<double> price = options.usd_per_gpu_hour;
  if (on_gpus && !price) {
    const auto configuration = config::load(context.config_option, programs::own_environment());
    if (!configuration) return fail(bad_input, configuration.problem());
    if (const auto known = configuration->gpu_prices.find(options.type); known != configuration->gpu_prices.end())
      price = known->second;
  }
  const session::RunHistory history = session::run_history(context.home(), spec);
  if (history.times.empty())
    return fail(bad_input, printable(options.study), "no run of these commands has ended in this home",
                "measure one: etude try " + kernel::shell_word(options.study));

  const int own_jobs = session::default_jobs(context.backend->cores(), spec);
  const int own_gpus = std::max(need, static_cast<int>(context.backend->machine().gpus.size()));
  const int most = on_gpus ? (options.gpus > 0 ? options.gpus : own_gpus) : options.jobs > 0 ? options.jobs : own_jobs;
  const kernel::DurationModel model(history.times);
  std::vector<SimulatedPool> pools;
  for (const int size : kernel::pool_sizes(most)) {
    // Without --jobs, CPUs are no limit of a pool of GPUs.
    const kernel::RunPool pool =
        on_gpus ? kernel::RunPool{options.jobs > 0 ? options.jobs : size, size} : kernel::RunPool{size, 0};
    pools.push_back({size, kernel::predicted(plan.least, plan.most, model, pool, history.gap_s)});
  }
  const kernel::RunSchedule& timeline = pools.back().prediction->timeline;
  const std::string basis = kernel::basis_words(history.basis_for(plan.most));
  if (context.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const SimulatedPool& pool : pools) list.push_back(pool_json(pool, on_gpus, price));
    print_json({{"title", spec.title},
                {"runs", {{"min", plan.least.runs.size()}, {"max", plan.most.runs.size()}}},
                {"basis", basis},
                {"interval", kernel::prediction_words},
                {"type", options.type.empty() ? nlohmann::json() : nlohmann::json(options.type)},
                {"usd_per_gpu_hour", price ? nlohmann::json(*price) : nlohmann::json()},
                {"pools", std::move(list)},
                {"timeline", timeline_json(plan.most, timeline)}});
    return ok;
  }

  fmt::print("{}\n{}\n{}\n", printable(spec.title), basis, kernel::prediction_words);
  if (on_gpus)
    fmt::print("times are those of the GPUs that were used then; they are not converted to another type\n");
  else
    fmt::print("the times are those of earlier runs; more runs at once on one machine may take longer\n");
  Table table({{on_gpus ? "GPUs" : "jobs", Column::Align::right},
               {"all runs take", Column::Align::right},
               {"90 % interval"},
               {"GPU hours", Column::Align::right},
               {"they cost", Column::Align::right},
               {"pool held", Column::Align::right},
               {"energy", Column::Align::right}});
  for (const SimulatedPool& pool : pools) {
    if (!pool.prediction) {
      table.add({std::to_string(pool.size), fmt::format("a run needs {}", need), "–", "–", "–", "–", "–"});
      continue;
    }
    const kernel::Prediction& p = *pool.prediction;
    const auto cost = cost_of(pool, on_gpus, price);
    table.add({std::to_string(pool.size), prose::duration_text(p.wall_s.value),
               fmt::format("{} to {}", prose::duration_text(p.wall_s.low), prose::duration_text(p.wall_s.high)),
               on_gpus ? fmt::format("{:.3g}", p.gpu_hours.value) : "–", cost ? usd_text(cost->used) : "–",
               cost ? usd_text(cost->held) : "–", p.joules ? fmt::format("{:.3g} J", *p.joules) : "–"});
  }
  const Screen screen = standard_screen();
  fmt::print("\n{}", table.text(screen));
  if (on_gpus && !price)
    fmt::print("no price: give --usd-per-gpu-hour, or `gpu_prices: {{{}: 2.5}}` in the configuration\n",
               options.type.empty() ? "h100" : printable(options.type));
  fmt::print("\n{}", timeline_text(plan.most, timeline, on_gpus ? pools.back().size : std::min(most, 4096),
                                   on_gpus ? "gpu" : "job", screen.width > 0 ? screen.width : 80));
  return ok;
}

}  // namespace cli

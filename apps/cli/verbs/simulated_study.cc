#include "apps/cli/verbs/simulated_study.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/cli/terminal/table.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/session/prepare/read_study.h"
#include "config/config.h"
#include "kernel/outlook/prediction.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace cli {

namespace {

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

void print_simulation(const session::Simulation& simulation) {
  const bool on_gpus = simulation.on_gpus();
  const session::SimulatedPool& largest = simulation.pools.back();
  const std::optional<double>& price = simulation.price;
  fmt::print("{}\n{}\n{}\n", printable(simulation.title), simulation.basis, kernel::prediction_words);
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
  for (const session::SimulatedPool& pool : simulation.pools) {
    if (!pool.prediction) {
      table.add({std::to_string(pool.size), fmt::format("a run needs {}", simulation.need), "–", "–", "–", "–", "–"});
      continue;
    }
    const kernel::Prediction& p = *pool.prediction;
    const auto cost = simulation.cost_of(pool);
    table.add({std::to_string(pool.size), prose::duration_text(p.wall_s.value),
               fmt::format("{} to {}", prose::duration_text(p.wall_s.low), prose::duration_text(p.wall_s.high)),
               on_gpus ? fmt::format("{:.3g}", p.gpu_hours.value) : "–", cost ? usd_text(cost->used) : "–",
               cost ? usd_text(cost->held) : "–", p.joules ? fmt::format("{:.3g} J", *p.joules) : "–"});
  }
  const Screen screen = standard_screen();
  fmt::print("\n{}", table.text(screen));
  if (on_gpus && !price)
    fmt::print("no price: give --usd-per-gpu-hour, or `gpu_prices: {{{}: 2.5}}` in the configuration\n",
               simulation.type.empty() ? "h100" : printable(simulation.type));
  fmt::print("\n{}", timeline_text(simulation.plan.most, largest.prediction->timeline, std::min(largest.size, 4096),
                                   on_gpus ? "gpu" : "job", screen.width > 0 ? screen.width : 80));
}

}  // namespace

int simulate_study(const Context& context, const SimulatedStudy& options) {
  const auto parsed = session::read_study(context.home(), options.study);
  if (!parsed) return fail(bad_input, parsed.problem());
  const auto configured_price = [&](const std::string& type) -> kernel::Result<std::optional<double>> {
    const auto configuration = config::load(context.config_option, programs::own_environment());
    if (!configuration) return configuration.problem();
    const auto known = configuration->gpu_prices.find(type);
    return known == configuration->gpu_prices.end() ? std::nullopt : std::optional(known->second);
  };
  const auto simulation =
      session::simulated(*parsed, options.study, options.pools, context.home(), *context.backend, configured_price);
  if (!simulation) {
    kernel::Problem problem = simulation.problem();
    if (problem.what == "gpus" || problem.what == "type") problem.what = "--" + problem.what;
    return fail(bad_input, problem);
  }
  if (context.json) {
    print_json(session::simulation_shape(*simulation));
    return ok;
  }
  print_simulation(*simulation);
  return ok;
}

}  // namespace cli

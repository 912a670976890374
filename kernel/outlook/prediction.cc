#include "kernel/outlook/prediction.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/assert.h"
#include "kernel/study/ledger.h"
#include "prose/numbers.h"
#include "stats/basics/random.h"

namespace kernel {

namespace {

/// The expected time of each kind of runs.
std::vector<ExpectedTime> times_of(const PlannedWork& work, const DurationModel& model) {
  std::vector<ExpectedTime> times;
  for (const PlannedWork::Kind& kind : work.kinds) times.push_back(*model.expected(kind.stage, kind.cell));
  return times;
}

std::vector<double> means_of(const PlannedWork& work, const std::vector<ExpectedTime>& times) {
  std::vector<double> seconds;
  for (const PlannedWork::Item& run : work.runs) seconds.push_back(times[static_cast<std::size_t>(run.kind)].mean_s);
  return seconds;
}

/// exp(sd·z), with mean 1.
double around_one(double sd, double z) {
  return std::exp(sd * z - sd * sd / 2);
}

std::vector<double> drawn(const PlannedWork& work, const std::vector<ExpectedTime>& times, double drift,
                          stats::Xoshiro& random) {
  const double all = around_one(drift, random.normal());
  // Guesses are wrong together: what is guessed comes from the same few runs.
  const double guesses = random.normal();
  std::vector<double> mean;
  for (const ExpectedTime& time : times)
    mean.push_back(all * time.mean_s * around_one(time.error, time.seen ? random.normal() : guesses));
  std::vector<double> seconds;
  for (const PlannedWork::Item& run : work.runs) {
    const auto kind = static_cast<std::size_t>(run.kind);
    seconds.push_back(mean[kind] * around_one(times[kind].scatter, random.normal()));
  }
  return seconds;
}

struct Draws {
  std::vector<double> wall, run, gpu;
};

Draws draws_of(const PlannedWork& work, const DurationModel& model, const RunPool& pool, double gap_s) {
  // At most about a second for the largest plans.
  constexpr std::size_t most_draws = 200, least_draws = 20, most_runs = 2'000'000;
  const std::size_t count = std::clamp(most_runs / std::max<std::size_t>(work.runs.size(), 1), least_draws, most_draws);
  const std::vector<ExpectedTime> times = times_of(work, model);
  stats::Xoshiro random(1);
  Draws draws;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> seconds = drawn(work, times, model.drift(), random);
    const RunSchedule schedule = *scheduled(work, seconds, pool, gap_s);
    double sum = 0;
    for (const double one : seconds) sum += one;
    draws.wall.push_back(schedule.makespan_s);
    draws.run.push_back(sum);
    draws.gpu.push_back(schedule.gpu_s / seconds_an_hour);
  }
  return draws;
}

double quantile(std::vector<double> values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::ranges::nth_element(values, values.begin() + at);
  return values[static_cast<std::size_t>(at)];
}

Expected expected_of(const std::vector<double>& least, const std::vector<double>& most) {
  constexpr double tail = (1 - prediction_level) / 2;
  return {(quantile(least, 0.5) + quantile(most, 0.5)) / 2, quantile(least, tail), quantile(most, 1 - tail)};
}

}  // namespace

std::string basis_words(const TimeBasis& basis) {
  std::string text = "from ";
  if (basis.runs > 0) text += prose::counted(basis.runs, "run") + " of studies";
  if (!basis.studies.empty()) text += fmt::format(" ({})", fmt::join(basis.studies, ", "));
  if (basis.tries > 0)
    text += fmt::format("{}{} of `etude try`", basis.runs > 0 ? " and " : "", prose::counted(basis.tries, "run"));
  text += basis.same_code ? ", all on this code" : ", all of these commands on other code";
  if (basis.guessed > 0)
    text += fmt::format("; {} of {} cells never ran, and their times are guessed from the others", basis.guessed,
                        basis.cells);
  return text;
}

std::optional<Prediction> predicted(const PlannedWork& least, const PlannedWork& most, const DurationModel& model,
                                    const RunPool& pool, double gap_s) {
  ETUDE_ASSERT(!model.empty());
  auto timeline = scheduled(most, means_of(most, times_of(most, model)), pool, gap_s);
  if (!timeline) return std::nullopt;
  const Draws high = draws_of(most, model, pool, gap_s);
  const bool fixed = least.runs.size() == most.runs.size();
  const Draws low = fixed ? high : draws_of(least, model, pool, gap_s);
  Prediction prediction;
  prediction.wall_s = expected_of(low.wall, high.wall);
  prediction.run_s = expected_of(low.run, high.run);
  prediction.gpu_hours = expected_of(low.gpu, high.gpu);
  if (const auto watts = model.watts()) prediction.joules = *watts * prediction.run_s.value;
  prediction.timeline = std::move(*timeline);
  return prediction;
}

void count_cells(TimeBasis& basis, const PlannedWork& work, const DurationModel& model) {
  std::set<std::pair<std::string, Cell>> seen, guessed;
  for (const PlannedWork::Kind& kind : work.kinds) {
    seen.insert({kind.stage, kind.cell});
    if (const auto time = model.expected(kind.stage, kind.cell); !time || !time->seen)
      guessed.insert({kind.stage, kind.cell});
  }
  basis.cells = static_cast<int>(seen.size());
  basis.guessed = static_cast<int>(guessed.size());
}

std::vector<int> pool_sizes(int most) {
  std::vector<int> sizes;
  for (int size = 1; size < most; size *= 2) sizes.push_back(size);
  sizes.push_back(most);
  return sizes;
}

}  // namespace kernel

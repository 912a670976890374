#include "kernel/outlook/time_left.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "kernel/design/design.h"
#include "kernel/evidence/derived_metrics.h"
#include "kernel/search/search.h"
#include "kernel/sizing/interim_looks.h"
#include "kernel/study/ledger.h"
#include "stats/basics/random.h"

namespace kernel {

namespace {

/// As many ended runs are looked at, and as many waiting ones.
constexpr std::size_t most_seen = 256;

struct Count {
  double least = 0, most = 0;
};

/// The runs that come after those that are queued now; none if their number is not known.
std::optional<Count> runs_to_come(const Study& study) {
  const StudySpec& spec = study.spec;
  if (!spec.stages.empty() && study.phase() != Phase::measuring) return std::nullopt;
  const bool searches = spec.kind != StudyKind::test;
  switch (study.phase()) {
    case Phase::checking:
    case Phase::sizing:
    case Phase::registering: {
      std::set<Cell> cells;
      Count count;
      for (const HypothesisRecord* record : study.open_batch()) {
        std::vector<Cell> own = cells_to_run(spec, record->hypothesis);
        cells.insert(std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
      }
      if (cells.empty()) return searches ? std::optional<Count>() : Count{};
      const auto number = static_cast<double>(cells.size());
      int least = spec.design.replicates_min, most = spec.design.replicates_max;
      if (study.sized) {
        least = most = 0;
        for (const SizeRecord& size : study.sized->sizes) {
          most = std::max(most, size.replicates);
          least = least == 0 ? size.replicates : std::min(least, size.replicates);
        }
      } else if (!spec.design.sized_beforehand() && !study.asked_pilot) {
        count.least = count.most = number * spec.design.pilot;
      }
      count.least += number * (least + spec.design.warmup_runs);
      count.most += number * (most + spec.design.warmup_runs);
      return count;
    }
    case Phase::searching:
      if (!study.search || spec.code) return std::nullopt;
      return Count{static_cast<double>(confirmation_runs(spec)),
                   std::max(0.0, static_cast<double>(runs_of(study.search->plan, spec)) - study.search->runs) +
                       static_cast<double>(confirmation_runs(spec))};
    case Phase::measuring: {
      Count count;
      for (const Experiment& experiment : study.experiments) {
        if (experiment.analysed || experiment.amended || looks_of(experiment.registration).empty()) continue;
        const std::vector<int> due = due_replicates(study, experiment);
        for (std::size_t c = 0; c < due.size(); ++c)
          count.most += std::max(0, experiment.registration.replicates[c] - due[c]);
      }
      return count;
    }
    default:
      return std::nullopt;
  }
}

/// Sums up runs, each of which may stand for several.
struct Remaining {
  explicit Remaining(const EndedTimes& ended) : seen(ended) {}

  void add(EndedTimes::Guess guess, double times, double gpus) {
    const double seconds = times * (guess.seconds + seen.gap_s());
    work_s += seconds;
    gpu_s += times * guess.seconds * gpus;
    runs += times;
    if (guess.runs == 0)
      guessed_s += seconds;
    else
      of_cells[guess.runs] += seconds;
  }
  /// Standard error of the logarithm of the work.
  double error() const {
    if (work_s <= 0) return 0;
    double variance = seen.scatter() * seen.scatter() / std::max(1.0, runs);
    // Cells whose means rest on equally many runs are taken together as one: no less than their error.
    for (const auto& [count, seconds] : of_cells) variance += std::pow(seconds / work_s * seen.scatter(), 2) / count;
    return std::hypot(std::sqrt(variance), guessed_s / work_s * factor_of_two);
  }

  const EndedTimes& seen;
  double work_s = 0, gpu_s = 0, guessed_s = 0, runs = 0;
  std::map<int, double> of_cells;  ///< Number of runs that a mean rests on → work.
};

/// Wall time of these runs, in order, on the study's places.
double played(const std::vector<double>& seconds, int jobs) {
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (int place = 0; place < std::max(jobs, 1); ++place) free.push(0);
  double end = 0;
  for (const double one : seconds) {
    const double at = free.top() + one;
    free.pop();
    free.push(at);
    end = std::max(end, at);
  }
  return end;
}

}  // namespace

EndedTimes::EndedTimes(const Study& study) {
  std::vector<std::int64_t> starts, ends;
  const int last = study.queue.empty() ? static_cast<int>(study.runs.size()) : study.queue.front() - 1;
  for (int number = last; number > std::max(0, last - static_cast<int>(4 * most_seen)); --number) {
    const Run& run = *study.run(number);
    if (run.state != RunState::succeeded || !run.cached_from.empty() || study.order_of(run)) continue;
    starts.push_back(run.started_ms);
    ends.push_back(run.ended_ms);
    Group& group = groups_[{run.cell, run.stage}];
    const double seconds = std::max(0.001, static_cast<double>(run.ended_ms - run.started_ms) / 1000);
    ++group.runs;
    group.seconds += seconds;
    group.squares += seconds * seconds;
    if (starts.size() == most_seen) break;
  }
  runs_ = static_cast<int>(starts.size());
  GapSum gaps;
  gaps.add(std::move(starts), std::move(ends), study.jobs);
  gap_s_ = gaps.mean();
  double squares = 0, freedom = 0;
  for (const auto& [cell, group] : groups_) {
    const double mean = group.seconds / group.runs;
    mean_s_ += mean / static_cast<double>(groups_.size());
    squares += std::max(0.0, group.squares / group.runs / (mean * mean) - 1) * group.runs;
    freedom += group.runs - 1;
  }
  scatter_ = freedom > 0 ? std::sqrt(squares / freedom) : factor_of_two / 2;
}

EndedTimes::Guess EndedTimes::of(const Run& run) const {
  const auto known = groups_.find({run.cell, run.stage});
  if (known == groups_.end()) return {mean_s_, 0};
  return {known->second.seconds / known->second.runs, known->second.runs};
}

std::optional<double> EndedTimes::expected_s(const Run& run) const {
  return runs_ == 0 ? std::nullopt : std::optional(of(run).seconds);
}

std::optional<TimeLeft> time_left(const Study& study) {
  if (study.outcome || study.cancelling || study.spec.captured()) return std::nullopt;
  TimeLeft left;
  const auto now = static_cast<std::int64_t>(study.live.size() + study.queue.size() + study.blocked.size());
  const std::optional<Count> later = runs_to_come(study);
  left.least_runs = now + static_cast<std::int64_t>(later ? later->least : 0);
  left.most_runs = now + static_cast<std::int64_t>(later ? later->most : 0);
  left.open = !later;
  if (left.most_runs == 0) return std::nullopt;
  const EndedTimes seen(study);
  left.from = seen.runs();
  if (seen.runs() == 0) return left;

  Remaining here(seen);
  std::vector<double> order;
  for (const int number : study.live) {
    // How long it has run is not part of the state: on average it is half done.
    EndedTimes::Guess guess = seen.of(*study.run(number));
    guess.seconds /= 2;
    order.push_back(guess.seconds);
    here.add(guess, 1, study.resources_of(*study.run(number)).devices());
  }
  const std::size_t waiting = study.queue.size(), step = waiting / most_seen + 1;
  for (std::size_t i = 0; i < waiting; i += step) {
    // One of each `step` runs, at a changing place: cells that are listed in turn must not fall together with it.
    const std::size_t length = std::min(step, waiting - i);
    std::uint64_t place = i;
    const Run& run = *study.run(study.queue[i + stats::splitmix64(place) % length]);
    const EndedTimes::Guess guess = seen.of(run);
    const auto times = static_cast<double>(length);
    order.push_back(guess.seconds + seen.gap_s());
    here.add(guess, times, study.resources_of(run).devices());
  }
  std::size_t looked_at = 0;
  const double each = static_cast<double>(study.blocked.size()) /
                      static_cast<double>(std::clamp<std::size_t>(study.blocked.size(), 1, most_seen));
  for (const int number : study.blocked) {
    if (++looked_at > most_seen) break;
    const EndedTimes::Guess guess = seen.of(*study.run(number));
    order.push_back(guess.seconds + seen.gap_s());
    here.add(guess, each, study.resources_of(*study.run(number)).devices());
  }
  const double even_s = here.work_s / study.jobs;
  const double here_s = step == 1 && looked_at <= most_seen ? std::max(even_s, played(order, study.jobs)) : even_s;

  Remaining fewest = here, most = here;
  if (later) {
    const EndedTimes::Guess guess{seen.mean_s(), 0};
    fewest.add(guess, later->least, study.spec.resources.devices());
    most.add(guess, later->most, study.spec.resources.devices());
  }
  const auto wall = [&](const Remaining& all) { return here_s + (all.work_s - here.work_s) / study.jobs; };
  constexpr double z = 1.645;  // of a 90 % interval
  left.wall_s = Expected{(wall(fewest) + wall(most)) / 2, wall(fewest) * std::exp(-z * fewest.error()),
                         wall(most) * std::exp(z * most.error())};
  left.gpu_hours = (fewest.gpu_s + most.gpu_s) / 2 / seconds_an_hour;
  return left;
}

}  // namespace kernel

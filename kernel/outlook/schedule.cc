#include "kernel/outlook/schedule.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "base/assert.h"
#include "kernel/placement/placer.h"

namespace kernel {

namespace {

/// The GPUs of the pool as one node. CPUs and memory are not counted: the number of runs at once says what they allow.
class GpuPool {
 public:
  explicit GpuPool(int gpus)
      : mix_({{demand_of(1, {}), 1}}),
        policy_(placement::make_policy("fifo", {}, mix_)),
        placer_({node_of(gpus)}, *policy_, 1) {}

  using Kind = PlannedWork::Kind;
  std::optional<placement::Placement> take(const Kind& kind) {
    return placer_.place(demand_of(kind.gpus, kind.gpu_share));
  }
  void give_back(const Kind& kind, const placement::Placement& placed) {
    placer_.remove(demand_of(kind.gpus, kind.gpu_share), placed);
  }

 private:
  static placement::Demand demand_of(int gpus, std::optional<int> share) {
    return {0, 0, gpus, gpus > 0 ? share.value_or(placement::whole_gpu) : 0, 0};
  }
  static placement::ClusterNode node_of(int gpus) {
    placement::ClusterNode node;
    node.name = "pool";
    node.type = 1;
    node.gpu_free.assign(static_cast<std::size_t>(gpus), placement::whole_gpu);
    return node;
  }

  placement::TypicalMix mix_;
  std::unique_ptr<placement::Policy> policy_;
  placement::Placer placer_;
};

/// Plays the runs through, from the end of one to the next.
class Player {
 public:
  Player(const PlannedWork& work, std::span<const double> seconds, const RunPool& pool, double gap_s)
      : work_(work), seconds_(seconds), gap_s_(gap_s), gpus_(pool.gpus), waits_for_(work.runs.size()) {
    for (int place = 0; place < std::max(pool.jobs, 1); ++place) places_.insert(place);
    schedule_.runs.resize(work.runs.size());
    dependants_.resize(work.runs.size());
    for (std::size_t i = 0; i < work.runs.size(); ++i)
      for (const int need : work.runs[i].needs) {
        dependants_[static_cast<std::size_t>(need)].push_back(i);
        ++waits_for_[i];
      }
  }

  RunSchedule play() {
    for (std::size_t next = 0; next < work_.runs.size();) {
      for (const int part = work_.runs[next].part; next < work_.runs.size() && work_.runs[next].part == part; ++next)
        if (waits_for_[next] == 0) ready_.push_back(next);
      for (start_ready(); !live_.empty(); start_ready()) end_next();
    }
    schedule_.makespan_s = now_;
    return std::move(schedule_);
  }

 private:
  struct Live {
    double until = 0;
    std::size_t run = 0;
    int place = 0;
    std::optional<placement::Placement> gpus;

    bool operator>(const Live& other) const { return std::pair(until, run) > std::pair(other.until, other.run); }
  };

  const PlannedWork::Kind& kind_of(std::size_t run) const {
    return work_.kinds[static_cast<std::size_t>(work_.runs[run].kind)];
  }

  void start_ready() {
    while (!ready_.empty() && !places_.empty()) {
      const std::size_t run = ready_.front();
      Live live{0, run, *places_.begin(), std::nullopt};
      const PlannedWork::Kind& kind = kind_of(run);
      if (kind.gpus > 0) {
        live.gpus = gpus_.take(kind);
        if (!live.gpus) return;  // The runs behind it wait, too.
      }
      ready_.pop_front();
      places_.erase(places_.begin());
      ScheduledRun& scheduled = schedule_.runs[run];
      scheduled.part = work_.runs[run].part;
      scheduled.from_s = now_ + gap_s_;
      scheduled.to_s = live.until = scheduled.from_s + seconds_[run];
      scheduled.places = live.gpus ? live.gpus->devices : std::vector{live.place};
      schedule_.gpu_s +=
          kind.gpus * kind.gpu_share.value_or(placement::whole_gpu) * seconds_[run] / placement::whole_gpu;
      live_.push(std::move(live));
    }
  }

  void end_next() {
    const Live live = live_.top();
    live_.pop();
    now_ = live.until;
    places_.insert(live.place);
    if (live.gpus) gpus_.give_back(kind_of(live.run), *live.gpus);
    // As in the kernel's queue, what waited for an earlier stage comes first.
    std::vector<std::size_t> freed;
    for (const std::size_t run : dependants_[live.run])
      if (--waits_for_[run] == 0) freed.push_back(run);
    ready_.insert(ready_.begin(), freed.begin(), freed.end());
  }

  const PlannedWork& work_;
  std::span<const double> seconds_;
  const double gap_s_;
  GpuPool gpus_;
  std::set<int> places_;
  std::vector<int> waits_for_;
  std::vector<std::vector<std::size_t>> dependants_;
  std::deque<std::size_t> ready_;
  std::priority_queue<Live, std::vector<Live>, std::greater<>> live_;
  double now_ = 0;
  RunSchedule schedule_;
};

}  // namespace

int PlannedWork::index_of_part(const std::string& part) {
  if (parts.empty() || parts.back() != part) parts.push_back(part);
  return static_cast<int>(parts.size()) - 1;
}

void PlannedWork::add(const std::string& part, const Kind& kind, std::int64_t count) {
  if (count <= 0) return;
  const Item item{static_cast<int>(kinds.size()), index_of_part(part), {}};
  kinds.push_back(kind);
  runs.insert(runs.end(), static_cast<std::size_t>(count), item);
}

void PlannedWork::add(const std::string& part, const RunsQueued& queued, const StudySpec& spec) {
  if (queued.runs.empty()) return;
  const int number = index_of_part(part);
  std::map<std::pair<std::string, int>, int> known;
  std::map<int, int> index_of;  // The number of a planned run → its index.
  for (const PlannedRun& planned : queued.runs) {
    const auto [kind, fresh] = known.try_emplace({planned.stage, planned.cell}, static_cast<int>(kinds.size()));
    if (fresh)
      kinds.push_back({planned.stage, queued.cells.at(static_cast<std::size_t>(planned.cell)),
                       spec.resources_of(planned.stage).gpus, spec.resources_of(planned.stage).gpu_share});
    Item item{kind->second, number, {}};
    for (const int need : planned.needs)
      if (const auto at = index_of.find(need); at != index_of.end()) item.needs.push_back(at->second);
    index_of[planned.number] = static_cast<int>(runs.size());
    runs.push_back(std::move(item));
  }
}

std::optional<RunSchedule> scheduled(const PlannedWork& work, std::span<const double> seconds, const RunPool& pool,
                                     double gap_s) {
  ETUDE_ASSERT(seconds.size() == work.runs.size());
  for (const PlannedWork::Kind& kind : work.kinds)
    if (kind.gpus > pool.gpus) return std::nullopt;
  return Player(work, seconds, pool, gap_s).play();
}

}  // namespace kernel

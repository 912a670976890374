#include "kernel/placement/fragmentation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

#include "base/assert.h"

namespace kernel::placement {

namespace {

auto order_of_kind(const Demand& d) {
  return std::tuple(d.cpu_milli, d.gpu_milli, d.gpus, d.types);
}

/// The kinds of these tasks, the commonest first.
std::vector<TypicalKind> kinds_of(std::span<const TypicalKind> tasks, Demand (*kind_of)(Demand)) {
  std::map<decltype(order_of_kind(Demand{})), TypicalKind> counts;
  for (const TypicalKind& task : tasks) {
    Demand demand = kind_of(task.demand);
    demand.memory_mib = 0;
    TypicalKind& kind = counts[order_of_kind(demand)];
    kind.demand = demand;
    kind.weight += task.weight;
  }
  std::vector<TypicalKind> kinds;
  for (const auto& [key, kind] : counts) kinds.push_back(kind);
  std::ranges::sort(kinds, [](const TypicalKind& a, const TypicalKind& b) {
    return std::tuple(a.weight, order_of_kind(a.demand)) > std::tuple(b.weight, order_of_kind(b.demand));
  });
  return kinds;
}

template <typename T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
}

}  // namespace

TypicalMix::TypicalMix(std::vector<TypicalKind> kinds) : kinds_(std::move(kinds)) {
  std::map<std::tuple<int, int, TypeSet>, Group> groups;
  for (const auto& [demand, weight] : kinds_) {
    ETUDE_ASSERT(weight > 0);
    weight_ += weight;
    if (demand.gpus == 0) continue;
    levels_.push_back(demand.gpu_milli);
    cpus_.push_back(demand.cpu_milli);
  }
  ETUDE_ASSERT(weight_ > 0);
  sort_unique(levels_);
  sort_unique(cpus_);
  for (const auto& [demand, weight] : kinds_) {
    if (demand.gpus == 0) continue;
    const auto level = std::ranges::lower_bound(levels_, demand.gpu_milli) - levels_.begin();
    Group& group = groups[{demand.gpus, demand.gpu_milli, demand.types}];
    group.gpus = demand.gpus;
    group.types = demand.types;
    group.level = static_cast<std::size_t>(level);
    group.weight.resize(cpus_.size() + 1);
    for (std::size_t i = 0; i < cpus_.size(); ++i)
      if (cpus_[i] >= demand.cpu_milli) group.weight[i + 1] += weight;
  }
  for (auto& [key, group] : groups) groups_.push_back(std::move(group));
}

TypicalMix TypicalMix::commonest(std::span<const TypicalKind> tasks, int percent) {
  std::int64_t all = 0;
  for (const TypicalKind& task : tasks) all += task.weight;
  const auto keep = [&](std::vector<TypicalKind> kinds) {
    std::size_t kept = 0;
    std::int64_t covered = 0;
    while (100 * covered < percent * all) covered += kinds.at(kept++).weight;
    kinds.resize(kept);
    return kinds;
  };
  std::vector<TypicalKind> kinds = keep(kinds_of(tasks, [](Demand demand) { return demand; }));
  if (kinds.size() > most_kinds) kinds = keep(kinds_of(tasks, rounded_demand));
  kinds.resize(std::min(kinds.size(), most_kinds));
  return TypicalMix(std::move(kinds));
}

Demand rounded_demand(Demand demand) {
  const auto up = [](auto value, auto step) { return (value + step - 1) / step * step; };
  const auto bits = std::bit_width(static_cast<std::uint64_t>(demand.cpu_milli));
  if (bits > 2) demand.cpu_milli = up(demand.cpu_milli, std::int64_t{1} << (bits - 2));
  demand.gpu_milli = up(demand.gpu_milli, whole_gpu / 20);
  return demand;
}

std::int64_t TypicalMix::fragment(std::int64_t cpu_free, TypeSet type, std::span<const int> gpu_free) const {
  std::int64_t free = 0;
  for (const int shares : gpu_free) free += shares;
  if (free == 0) return 0;
  // Per level: how many GPUs have enough free shares, and how many shares the others have.
  struct Level {
    int enough;
    std::int64_t left_over;
  };
  std::array<Level, whole_gpu> levels;  // There are no more distinct shares.
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    Level level{0, 0};
    for (const int shares : gpu_free) {
      const bool suffices = shares >= levels_[i];
      level.enough += suffices;
      level.left_over += suffices ? 0 : shares;
    }
    levels[i] = level;
  }
  const auto cpus = static_cast<std::size_t>(std::ranges::upper_bound(cpus_, cpu_free) - cpus_.begin());
  std::int64_t usable = 0;
  for (const Group& group : groups_) {
    const Level& level = levels[group.level];
    const bool runs = level.enough >= group.gpus && (group.types == 0 || (group.types & type) != 0);
    usable += runs ? group.weight[cpus] * (free - level.left_over) : 0;
  }
  return weight_ * free - usable;
}

std::int64_t TypicalMix::weighted_fragment(const ClusterNode& node) const {
  return fragment(node.cpu_free, node.type, node.gpu_free);
}

std::int64_t TypicalMix::weighted_growth(const ClusterNode& node, const Demand& demand, std::size_t device) const {
  std::array<int, most_devices> after;
  std::ranges::copy(node.gpu_free, after.begin());
  if (demand.is_share())
    after.at(device) -= demand.gpu_milli;
  else
    for (const int taken : tightest_devices(node.gpu_free, demand))
      after[static_cast<std::size_t>(taken)] -= demand.gpu_milli;
  return fragment(node.cpu_free - demand.cpu_milli, node.type, std::span(after).first(node.gpu_free.size())) -
         weighted_fragment(node);
}

Devices tightest_devices(std::span<const int> gpu_free, const Demand& demand) {
  Devices devices;
  for (std::size_t i = 0; i < gpu_free.size(); ++i)
    if (gpu_free[i] >= demand.gpu_milli) devices.push_back(static_cast<int>(i));
  const auto wanted = static_cast<std::size_t>(demand.gpus);
  ETUDE_ASSERT(devices.size() >= wanted);
  if (demand.gpu_milli < whole_gpu)
    std::ranges::stable_sort(devices, {}, [&](int device) { return gpu_free[static_cast<std::size_t>(device)]; });
  devices.resize(wanted);
  return devices;
}

}  // namespace kernel::placement

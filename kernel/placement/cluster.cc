#include "kernel/placement/cluster.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "stats/basics/random.h"

namespace kernel::placement {

std::optional<TypeSet> GpuTypes::bit(const std::string& name) {
  const auto found = std::ranges::find(names_, name);
  const auto index = static_cast<std::size_t>(found - names_.begin());
  if (found == names_.end()) {
    if (names_.size() == most) return std::nullopt;
    names_.push_back(name);
  }
  return TypeSet{1} << index;
}

std::size_t HashOfDemand::operator()(const Demand& demand) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(demand.cpu_milli), static_cast<std::uint64_t>(demand.memory_mib),
        static_cast<std::uint64_t>(demand.total_gpu_milli()), static_cast<std::uint64_t>(demand.gpus), demand.types}) {
    hash ^= part;
    hash = stats::splitmix64(hash);
  }
  return static_cast<std::size_t>(hash);
}

std::int64_t ClusterNode::free_gpu_milli() const {
  return std::accumulate(gpu_free.begin(), gpu_free.end(), std::int64_t{0});
}

bool ClusterNode::fits(const Demand& demand) const {
  if (cpu_free < demand.cpu_milli || memory_free < demand.memory_mib) return false;
  if (demand.gpus == 0) return true;
  if (!has_type(demand.types)) return false;
  int enough = 0;
  for (const int free : gpu_free) enough += free >= demand.gpu_milli;
  return enough >= demand.gpus;
}

namespace {

/// `sign` is −1 to take and 1 to give back.
void change(ClusterNode& node, const Demand& demand, const Devices& devices, int sign) {
  ETUDE_ASSERT(devices.size() == static_cast<std::size_t>(demand.gpus));
  node.cpu_free += sign * demand.cpu_milli;
  node.memory_free += sign * demand.memory_mib;
  ETUDE_ASSERT(node.cpu_free >= 0 && node.cpu_free <= node.cpu_total);
  ETUDE_ASSERT(node.memory_free >= 0 && node.memory_free <= node.memory_total);
  for (const int device : devices) {
    int& free = node.gpu_free.at(static_cast<std::size_t>(device));
    free += sign * demand.gpu_milli;
    ETUDE_ASSERT(free >= 0 && free <= whole_gpu);
  }
}

}  // namespace

void take(ClusterNode& node, const Demand& demand, const Devices& devices) {
  change(node, demand, devices, -1);
}

void give_back(ClusterNode& node, const Demand& demand, const Devices& devices) {
  change(node, demand, devices, 1);
}

}  // namespace kernel::placement

#include "kernel/placement/workload.h"

#include <algorithm>
#include <numeric>

namespace kernel::placement {

namespace {

template <typename T>
void shuffle_all(std::vector<T>& items, stats::Xoshiro& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random.below(static_cast<std::uint32_t>(i))]);
}

}  // namespace

std::vector<TypicalKind> Workload::counted() const {
  std::vector<TypicalKind> kinds;
  for (const Demand& demand : demands) kinds.push_back({demand, 0});
  for (const std::uint32_t demand : demand_of) ++kinds[demand].weight;
  return kinds;
}

void shuffle(std::vector<ClusterNode>& nodes, stats::Xoshiro& random) {
  shuffle_all(nodes, random);
}

Result<Arrivals> arrivals(const Workload& workload, std::optional<double> inflate, std::int64_t gpu_milli,
                          stats::Xoshiro& random) {
  const auto asks = [&](std::uint32_t task) { return workload.demands[workload.demand_of[task]].total_gpu_milli(); };
  Arrivals order(workload.names.size());
  std::iota(order.begin(), order.end(), 0U);
  shuffle_all(order, random);
  if (!inflate) return order;
  const double limit = *inflate * static_cast<double>(gpu_milli);
  std::int64_t asked = 0;
  for (const std::uint32_t task : order) asked += asks(task);
  if (asked == 0) return Problem{"", 0, "--inflate", "no task asks for a GPU", "leave it out"};
  if (static_cast<double>(asked) > limit) {
    // Removed from the end of a random order: the same as one random task after the other.
    while (static_cast<double>(asked) > limit) {
      asked -= asks(order.back());
      order.pop_back();
    }
    return order;
  }
  const auto tasks = static_cast<std::uint32_t>(workload.names.size());
  for (;;) {
    const std::uint32_t task = random.below(tasks);
    asked += asks(task);
    if (static_cast<double>(asked) > limit) return order;
    if (order.size() == most_arrivals)
      return Problem{"", 0, "--inflate", "more than " + std::to_string(most_arrivals) + " tasks would arrive",
                     "give a smaller number"};
    order.push_back(task);
  }
}

Allocation run(Placer& placer, const Workload& workload, const Arrivals& arrivals, const TypicalMix& mix,
               std::optional<std::uint32_t> explained) {
  Allocation outcome;
  for (const std::uint32_t task : arrivals) {
    const Demand& demand = workload.demands[workload.demand_of[task]];
    const bool explain = task == explained && !outcome.explanation;
    if (explain) outcome.explanation = {placer.candidates(demand), std::nullopt};
    const auto placement = placer.place(demand);
    if (explain) outcome.explanation->placement = placement;
    outcome.asked_gpu_milli += demand.total_gpu_milli();
    ++(placement ? outcome.placed : outcome.refused);
  }
  std::int64_t fragment = 0;
  for (const ClusterNode& node : placer.nodes()) {
    outcome.gpu_total += node.total_gpu_milli();
    outcome.gpu_used += node.total_gpu_milli() - node.free_gpu_milli();
    outcome.cpu_total += node.cpu_total;
    outcome.cpu_used += node.cpu_total - node.cpu_free;
    outcome.memory_total += node.memory_total;
    outcome.memory_used += node.memory_total - node.memory_free;
    fragment += mix.weighted_fragment(node);
  }
  outcome.fragment = static_cast<double>(fragment) / static_cast<double>(mix.weight());
  return outcome;
}

}  // namespace kernel::placement

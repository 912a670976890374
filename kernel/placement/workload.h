#pragma once
// The tasks that arrive at a cluster, and the experiment of the paper on fragmentation: tasks arrive in random order
// until they ask for a given multiple of the cluster's GPUs, none leaves, and what does not fit is refused. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/placement/placer.h"

namespace kernel::placement {

/// The tasks of a list. Tasks that ask for the same share one demand.
struct Workload {
  std::vector<Demand> demands;           ///< Distinct.
  std::vector<std::string> names;        ///< Of each task.
  std::vector<std::uint32_t> demand_of;  ///< Of each task: index into `demands`.

  /// The demands with the number of their tasks.
  std::vector<TypicalKind> counted() const;
};

/// Indexes of tasks in the order of their arrival.
using Arrivals = std::vector<std::uint32_t>;

/// More tasks than this do not arrive.
inline constexpr std::size_t most_arrivals = 20'000'000;

/// Every task once, in random order. With `inflate`, a multiple of `gpu_milli`, tasks are removed at random while they
/// ask for more than that, or random tasks of the list are appended until the next one would ask for more than that.
Result<Arrivals> arrivals(const Workload&, std::optional<double> inflate, std::int64_t gpu_milli, stats::Xoshiro&);

/// The nodes in random order, so that ties, which go to the first node, favour none.
void shuffle(std::vector<ClusterNode>&, stats::Xoshiro&);

/// Why a task runs where it does.
struct Explanation {
  std::vector<PlacementCandidate> candidates;  ///< At the task's arrival, the best first.
  std::optional<Placement> placement;          ///< None if the task was refused.
};

/// What a cluster holds when all tasks have arrived.
struct Allocation {
  std::size_t placed = 0, refused = 0;
  std::int64_t asked_gpu_milli = 0;                ///< Of all arrivals.
  std::int64_t gpu_total = 0, gpu_used = 0;        ///< Shares.
  std::int64_t cpu_total = 0, cpu_used = 0;        ///< Thousandths of a CPU.
  std::int64_t memory_total = 0, memory_used = 0;  ///< MiB.
  double fragment = 0;                             ///< Expected free shares that a typical task cannot use.
  std::optional<Explanation> explanation;          ///< Of the first arrival of the task that was asked about.
};

/// Places every arrival, or refuses it. `explained`: the task to explain; it need not arrive.
Allocation run(Placer&, const Workload&, const Arrivals&, const TypicalMix&,
               std::optional<std::uint32_t> explained = std::nullopt);

}  // namespace kernel::placement

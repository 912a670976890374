#pragma once
// How much of the free GPUs the tasks to come cannot use: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing
// Workloads with Fragmentation Gradient Descent", USENIX ATC 2023, section 3. Whole numbers throughout, so equal nodes
// have equal values: the order of summation does not matter. Immutable after construction.

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/placement/cluster.h"

namespace kernel::placement {

/// A kind of task, and how many of the typical tasks are of it.
struct TypicalKind {
  Demand demand;            ///< Its memory does not count.
  std::int64_t weight = 0;  ///< ≥ 1.
};

/// The mix of tasks that a cluster expects.
class TypicalMix {
 public:
  explicit TypicalMix(std::vector<TypicalKind>);

  /// A mix made of tasks has at most this many kinds.
  static constexpr std::size_t most_kinds = 256;

  /// The commonest kinds of these tasks, as few as make up `percent` of them. Of kinds with equal counts, first the one
  /// with more CPUs, then with more shares of each GPU, then with more GPUs. If there are more than `most_kinds`, CPUs
  /// and shares are rounded up before they are counted (`rounded_demand`). `tasks` is not empty.
  static TypicalMix commonest(std::span<const TypicalKind> tasks, int percent = 95);

  const std::vector<TypicalKind>& kinds() const { return kinds_; }
  /// The sum of the weights.
  std::int64_t weight() const { return weight_; }

  /// `weight()` times the free shares that a typical task is expected to be unable to use on this node. A kind that
  /// cannot run there (too few CPUs, too few GPUs with enough free shares, another type) or that asks for no GPU leaves
  /// all of them; a kind that can run leaves those of GPUs with too few free shares.
  std::int64_t weighted_fragment(const ClusterNode&) const;

  /// By how much `weighted_fragment` grows if the node takes a task: for a part of a GPU, on the given device; for
  /// others, on devices with the fewest free shares that suffice (`device` is ignored).
  std::int64_t weighted_growth(const ClusterNode&, const Demand&, std::size_t device = 0) const;

 private:
  /// Kinds that differ only in their CPUs.
  struct Group {
    int gpus;
    TypeSet types;
    std::size_t level;                 ///< Index into `levels_`.
    std::vector<std::int64_t> weight;  ///< Of the kinds that need at most `cpus_[i − 1]`, for i from 0.
  };
  std::int64_t fragment(std::int64_t cpu_free, TypeSet type, std::span<const int> gpu_free) const;

  std::vector<TypicalKind> kinds_;
  std::int64_t weight_ = 0;
  std::vector<int> levels_;         ///< The distinct shares that kinds ask of a GPU, ascending.
  std::vector<std::int64_t> cpus_;  ///< The distinct CPUs of kinds that ask for a GPU, ascending.
  std::vector<Group> groups_;
};

/// The demand with its CPUs rounded up to two significant bits and its shares to a multiple of a twentieth of a GPU.
Demand rounded_demand(Demand);

/// The devices with the fewest free shares that suffice; of equals the first. The node fits the demand.
Devices tightest_devices(std::span<const int> gpu_free, const Demand&);

}  // namespace kernel::placement

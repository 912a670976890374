#pragma once
// Places tasks on the nodes of a cluster by a policy and takes them away again. It keeps the scores of nodes that did
// not change, so a task costs about as much in a full cluster with many tasks behind it as at the beginning. One
// thread; borrows the policy.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/placement/cluster.h"
#include "kernel/placement/policy.h"

namespace kernel::placement {

/// Where a task runs.
struct Placement {
  std::size_t node = 0;  ///< Index of the node.
  Devices devices;
  double score = 0;
};

/// A node that fits a task.
struct PlacementCandidate {
  std::size_t node = 0;
  double score = 0;
};

class Placer {
 public:
  /// Ties of scores go to the node that stands first.
  Placer(std::vector<ClusterNode> nodes, const Policy& policy, std::uint64_t seed);

  /// Takes the resources; none if no node fits.
  std::optional<Placement> place(const Demand&);
  /// Gives the resources back, which `place` took for the same demand.
  void remove(const Demand&, const Placement&);

  /// Every node that fits, the best first, computed anew: why `place` would choose what it chooses. A policy that draws
  /// takes one of the best.
  std::vector<PlacementCandidate> candidates(const Demand&) const;

  std::span<const ClusterNode> nodes() const { return nodes_; }

 private:
  /// A node's score for one demand, as of the node's version; NaN if it does not fit.
  struct Known {
    double score = 0;
    std::uint64_t version = 0;
  };
  /// The scores of all nodes as they are now. Kept from the second time on that a demand comes.
  std::span<const Known> scores(const Demand&);
  void forget();
  std::optional<std::size_t> best(std::span<const Known>);

  std::vector<ClusterNode> nodes_;
  std::vector<std::uint64_t> versions_;  ///< Of each node, from 1.
  const Policy& policy_;
  stats::Xoshiro random_;
  std::unordered_map<Demand, std::vector<Known>, HashOfDemand> known_;  ///< Empty: the demand came once.
  std::size_t kept_ = 0;                                                ///< Scores in `known_`.
  std::vector<Known> unkept_;                                           ///< Of a demand that came for the first time.
};

}  // namespace kernel::placement

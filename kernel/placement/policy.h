#pragma once
// The policies that choose a node and GPUs for a task, behind one interface. A policy looks at one node at a time and
// knows no other; `Placer` compares them. Pure, but for the random generator that the caller passes.

#include <memory>
#include <span>
#include <string_view>

#include "kernel/placement/cluster.h"
#include "kernel/placement/fragmentation.h"
#include "stats/basics/random.h"

namespace kernel::placement {

class Policy {
 public:
  virtual ~Policy() = default;
  /// Greater is better. The node fits the demand.
  virtual double score(const ClusterNode&, const Demand&) const = 0;
  /// The GPUs to take of the chosen node, which fits the demand.
  virtual Devices devices(const ClusterNode&, const Demand&, stats::Xoshiro&) const = 0;
  /// Whether one of the best nodes is drawn. Otherwise the first of them is taken.
  virtual bool draws() const { return false; }
};

/// A policy's name on the command line, and what its scores are.
struct PolicyName {
  std::string_view name;
  std::string_view score;
};

/// The names of all policies.
std::span<const PolicyName> policy_names();

/// The policy of this name, for these nodes when they are empty; null if there is none. `mix`, which must outlive the
/// policy, is what fragmentation is measured by.
std::unique_ptr<Policy> make_policy(std::string_view name, std::span<const ClusterNode> nodes, const TypicalMix& mix);

/// ⌊100·sigmoid(−growth/1000)⌋, the integer score of the published fragmentation gradient descent. `growth` is in
/// shares of a GPU: hkust-adsl/kubernetes-scheduler-simulator, pkg/simulator/plugin/fgd_score.go.
double published_score(double growth);

}  // namespace kernel::placement

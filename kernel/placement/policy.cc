#include "kernel/placement/policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kernel::placement {

namespace {

/// First come, first served: the first node that fits.
class FirstFit : public Policy {
 public:
  double score(const ClusterNode&, const Demand&) const override { return 0; }
  Devices devices(const ClusterNode& node, const Demand& demand, stats::Xoshiro&) const override {
    Devices devices;
    for (std::size_t i = 0; i < node.gpu_free.size() && std::ssize(devices) < demand.gpus; ++i)
      if (node.gpu_free[i] >= demand.gpu_milli) devices.push_back(static_cast<int>(i));
    return devices;
  }
};

/// Any node that fits, and any GPUs of it that fit, with equal probability.
class Random : public Policy {
 public:
  double score(const ClusterNode&, const Demand&) const override { return 0; }
  Devices devices(const ClusterNode& node, const Demand& demand, stats::Xoshiro& random) const override {
    Devices devices;
    for (std::size_t i = 0; i < node.gpu_free.size(); ++i)
      if (node.gpu_free[i] >= demand.gpu_milli) devices.push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < static_cast<std::size_t>(demand.gpus); ++i)
      std::swap(devices[i], devices[i + random.below(static_cast<std::uint32_t>(devices.size() - i))]);
    devices.resize(static_cast<std::size_t>(demand.gpus));
    return devices;
  }
  bool draws() const override { return true; }
};

/// The node that would have least left: the mean of its free CPUs and its free GPU shares, each divided by what the
/// largest node has. An integer from 0 to 100, as in pkg/simulator/plugin/best_fit_score.go of the published simulator.
class BestFit : public Policy {
 public:
  explicit BestFit(std::span<const ClusterNode> nodes) {
    for (const ClusterNode& node : nodes) {
      most_cpu_ = std::max(most_cpu_, node.cpu_total);
      most_gpu_ = std::max(most_gpu_, node.total_gpu_milli());
    }
  }
  double score(const ClusterNode& node, const Demand& demand) const override {
    const std::int64_t cpu = node.cpu_free - demand.cpu_milli;
    const std::int64_t gpu = node.free_gpu_milli() - demand.total_gpu_milli();
    // In whole numbers: 100·(1 − cpu / (2 · most_cpu) − gpu / (2 · most_gpu)).
    const std::int64_t left = 50 * (cpu * most_gpu_ + gpu * most_cpu_), most = most_cpu_ * most_gpu_;
    return static_cast<double>(100 - (left + most - 1) / most);
  }
  Devices devices(const ClusterNode& node, const Demand& demand, stats::Xoshiro&) const override {
    return tightest_devices(node.gpu_free, demand);
  }

 private:
  std::int64_t most_cpu_ = 1, most_gpu_ = 1;
};

/// Fragmentation gradient descent: the node and GPU where what typical tasks cannot use grows least.
class FragmentationGradient : public Policy {
 public:
  enum class Form { published, exact };
  FragmentationGradient(const TypicalMix& mix, Form form) : mix_(mix), form_(form) {}

  double score(const ClusterNode& node, const Demand& demand) const override {
    if (!demand.is_share()) return score(mix_.weighted_growth(node, demand));
    return best_share(node, demand).score;
  }
  Devices devices(const ClusterNode& node, const Demand& demand, stats::Xoshiro&) const override {
    if (!demand.is_share()) return tightest_devices(node.gpu_free, demand);
    return {static_cast<int>(best_share(node, demand).device)};
  }

 private:
  struct Best {
    double score;
    std::size_t device;
  };
  double score(std::int64_t weighted_growth) const {
    const double growth = static_cast<double>(weighted_growth) / static_cast<double>(mix_.weight());
    return form_ == Form::published ? published_score(growth) : -growth;
  }
  Best best_share(const ClusterNode& node, const Demand& demand) const {
    const std::vector<int>& free = node.gpu_free;
    Best best{-std::numeric_limits<double>::infinity(), 0};
    for (std::size_t i = 0; i < free.size(); ++i) {
      if (free[i] < demand.gpu_milli) continue;
      if (std::find(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(i), free[i]) !=
          free.begin() + static_cast<std::ptrdiff_t>(i))
        continue;  // The same as an earlier device.
      const double of_device = score(mix_.weighted_growth(node, demand, i));
      if (of_device > best.score) best = {of_device, i};
    }
    return best;
  }

  const TypicalMix& mix_;
  const Form form_;
};

constexpr std::array<PolicyName, 5> names{
    {{"fifo", "0: the first node that fits"},
     {"bestfit",
      "floor(100*(1 - mean of free CPUs and free GPU shares afterwards, each divided by the largest node's))"},
     {"fgd", "published: floor(100*sigmoid(-growth/1000)), growth of unusable GPU shares"},
     {"fgd-exact", "exact: minus the growth of unusable GPU shares"},
     {"random", "0: any node that fits"}}};

}  // namespace

double published_score(double growth) {
  return std::floor(100 / (1 + std::exp(growth / 1000)));
}

std::span<const PolicyName> policy_names() {
  return names;
}

std::unique_ptr<Policy> make_policy(std::string_view name, std::span<const ClusterNode> nodes, const TypicalMix& mix) {
  using Form = FragmentationGradient::Form;
  if (name == "fifo") return std::make_unique<FirstFit>();
  if (name == "bestfit") return std::make_unique<BestFit>(nodes);
  if (name == "fgd") return std::make_unique<FragmentationGradient>(mix, Form::published);
  if (name == "fgd-exact") return std::make_unique<FragmentationGradient>(mix, Form::exact);
  if (name == "random") return std::make_unique<Random>();
  return nullptr;
}

}  // namespace kernel::placement

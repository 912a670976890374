#include "kernel/placement/placer.h"

#include <algorithm>
#include <map>

#include "tests/cost.h"
#include "tests/kernel/placement/openb_excerpt.h"

using namespace kernel::placement;

namespace {

struct Running {
  Demand demand;
  Placement placement;
};

/// Places tasks of the excerpt in random order and removes random ones when a task is refused. `check` sees each
/// task before it is placed, and its placement.
template <typename Check>
void churn(Placer& placer, const Workload& workload, int tasks, const Check& check) {
  stats::Xoshiro random(3);
  std::vector<Running> running;
  for (int i = 0; i < tasks; ++i) {
    const auto task = random.below(static_cast<std::uint32_t>(workload.names.size()));
    const Demand& demand = workload.demands[workload.demand_of[task]];
    const auto candidates = check.before(placer, demand);
    const auto placement = placer.place(demand);
    check.after(placer, demand, candidates, placement);
    if (placement) {
      running.push_back({demand, *placement});
      continue;
    }
    for (int gone = 0; gone < 3 && !running.empty(); ++gone) {
      std::swap(running[random.below(static_cast<std::uint32_t>(running.size()))], running.back());
      placer.remove(running.back().demand, running.back().placement);
      running.pop_back();
    }
  }
  for (const Running& task : running) placer.remove(task.demand, task.placement);
}

struct BestOfCandidates {
  bool draws = false;
  std::vector<PlacementCandidate> before(const Placer& placer, const Demand& demand) const {
    return placer.candidates(demand);
  }
  void after(const Placer&, const Demand& demand, const std::vector<PlacementCandidate>& candidates,
             const std::optional<Placement>& placement) const {
    REQUIRE(placement.has_value() == !candidates.empty());
    if (!placement) return;
    REQUIRE(placement->score == candidates.front().score);
    REQUIRE(placement->devices.size() == static_cast<std::size_t>(demand.gpus));
    if (!draws) REQUIRE(placement->node == candidates.front().node);
  }
};

struct Unchecked {
  int before(const Placer&, const Demand&) const { return 0; }
  void after(const Placer&, const Demand&, int, const std::optional<Placement>&) const {}
};

}  // namespace

TEST_CASE("every placement is the best of its candidates, however many tasks came and went") {
  const openb::Excerpt excerpt;
  for (const PolicyName& name : policy_names()) {
    INFO(name.name);
    const auto policy = make_policy(name.name, excerpt.nodes, excerpt.mix);
    Placer placer(excerpt.nodes, *policy, 1);
    churn(placer, excerpt.workload, 3000, BestOfCandidates{policy->draws()});
    for (std::size_t i = 0; i < excerpt.nodes.size(); ++i) {
      CHECK(placer.nodes()[i].cpu_free == excerpt.nodes[i].cpu_total);
      CHECK(placer.nodes()[i].memory_free == excerpt.nodes[i].memory_total);
      CHECK(placer.nodes()[i].gpu_free == excerpt.nodes[i].gpu_free);
    }
  }
}

TEST_CASE("candidates fit in CPUs, memory, GPUs and type") {
  const openb::Excerpt excerpt;
  const auto policy = make_policy("fgd", excerpt.nodes, excerpt.mix);
  const Placer placer(excerpt.nodes, *policy, 1);
  const ClusterNode& node = excerpt.nodes[0];
  Demand demand{.cpu_milli = node.cpu_total,
                .memory_mib = node.memory_total,
                .gpus = static_cast<int>(node.gpu_free.size()),
                .gpu_milli = whole_gpu,
                .types = node.type};
  const auto among = [&](const Demand& wanted) {
    return std::ranges::count(placer.candidates(wanted), std::size_t{0}, &PlacementCandidate::node) == 1;
  };
  CHECK(among(demand));
  for (auto more : {Demand{.cpu_milli = 1}, Demand{.memory_mib = 1}, Demand{.gpus = 1}}) {
    Demand larger = demand;
    larger.cpu_milli += more.cpu_milli;
    larger.memory_mib += more.memory_mib;
    larger.gpus += more.gpus;
    CHECK_FALSE(among(larger));
  }
  demand.types = ~node.type;
  CHECK_FALSE(among(demand));
}

TEST_CASE("the random policy takes every node and GPU that fits equally often") {
  std::vector<ClusterNode> nodes;
  for (const char* name : {"a", "b", "c", "d"})
    nodes.push_back({.name = name, .cpu_free = 8000, .cpu_total = 8000, .gpu_free = {1000, 1000}});
  nodes[3].cpu_free = 0;
  const TypicalMix mix({{Demand{.gpus = 1, .gpu_milli = 500}, 1}});
  const auto policy = make_policy("random", nodes, mix);
  Placer placer(nodes, *policy, 11);
  const Demand demand{.cpu_milli = 1000, .gpus = 1, .gpu_milli = 500};
  std::map<std::pair<std::size_t, int>, int> counts;
  for (int i = 0; i < 6000; ++i) {
    const auto placement = placer.place(demand);
    REQUIRE(placement);
    ++counts[{placement->node, placement->devices.at(0)}];
    placer.remove(demand, *placement);
  }
  REQUIRE(counts.size() == 6);
  for (const auto& [where, count] : counts) CHECK(std::abs(count - 1000) < 150);  // Five standard deviations.
}

TEST_CASE("a task costs the same however many came before it") {
  const openb::Excerpt excerpt;
  const double growth = tests::growth(
      20'000, [](int tasks) { return tasks; },
      [&](int tasks) {
        const auto policy = make_policy("fgd", excerpt.nodes, excerpt.mix);
        Placer placer(excerpt.nodes, *policy, 1);
        churn(placer, excerpt.workload, tasks, Unchecked{});
      });
  CHECK(growth < tests::linear);
}

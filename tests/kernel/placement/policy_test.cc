#include "kernel/placement/policy.h"

#include <algorithm>
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/places.h"

using namespace kernel::placement;
using nlohmann::json;

namespace {

TypeSet types_of(const json& names) {
  TypeSet types = 0;
  for (const json& name : names) types |= TypeSet{1} << (name.get<std::string>().at(0) - 'A');
  return types;
}

Demand demand_of(const json& task) {
  return {.cpu_milli = task["cpu"],
          .memory_mib = 0,
          .gpus = task["gpus"],
          .gpu_milli = task["share"],
          .types = types_of(task["types"])};
}

ClusterNode node_of(const json& node) {
  ClusterNode made{.name = "n", .cpu_free = node["cpu"], .cpu_total = 64'000, .gpu_free = node["free"]};
  if (!made.gpu_free.empty()) made.type = types_of(json::array({node["type"]}));
  return made;
}

ClusterNode empty_node(std::size_t gpus) {
  return {
      .name = "n", .type = 1, .cpu_free = 64'000, .cpu_total = 64'000, .gpu_free = std::vector<int>(gpus, whole_gpu)};
}

Demand share(int milli, std::int64_t cpu_milli = 1000) {
  return {.cpu_milli = cpu_milli, .gpus = 1, .gpu_milli = milli};
}

}  // namespace

TEST_CASE("fragments, scores and devices agree with an independent implementation") {
  std::ifstream in(tests::source_dir() + "/tests/kernel/placement/oracle/vectors.json");
  const json cases = json::parse(in);
  REQUIRE(cases.size() == 400);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO("case " << i);
    const json& one = cases[i];
    std::vector<TypicalKind> kinds;
    for (const json& kind : one["mix"]) kinds.push_back({demand_of(kind), kind["weight"]});
    const TypicalMix mix(kinds);
    const ClusterNode node = node_of(one["node"]);
    const Demand demand = demand_of(one["task"]);
    REQUIRE(node.fits(demand));
    CHECK(static_cast<double>(mix.weighted_fragment(node)) / static_cast<double>(mix.weight()) ==
          Approx(one["fragment"].get<double>()).margin(1e-9));
    const std::vector<ClusterNode> cluster{empty_node(8)};
    for (const std::string name : {"fgd", "fgd-exact", "bestfit", "fifo"}) {
      INFO(name);
      const auto policy = make_policy(name, cluster, mix);
      stats::Xoshiro random(1);
      CHECK(policy->score(node, demand) == Approx(one[name]["score"].get<double>()).margin(1e-9));
      Devices devices = policy->devices(node, demand, random);
      std::ranges::sort(devices);
      CHECK(devices == one[name]["devices"].get<Devices>());
    }
  }
}

TEST_CASE("a share fits beside another one, and what is left over is a fragment for larger tasks") {
  // Two GPUs, of which one has 600 shares free. Half of the tasks want 500 shares, half a whole GPU.
  const TypicalMix mix({{share(500), 1}, {share(1000), 1}});
  ClusterNode node = empty_node(2);
  node.gpu_free = {600, 1000};
  CHECK(mix.weighted_fragment(node) == 600);  // Only for those that want a whole GPU.
  CHECK(mix.weighted_growth(node, share(500), 0) == -600 + 100 + 100);
  CHECK(mix.weighted_growth(node, share(500), 1) == -600 + 1100);
  const auto policy = make_policy("fgd-exact", std::vector{node}, mix);
  stats::Xoshiro random(1);
  CHECK(policy->devices(node, share(500), random) == Devices{0});
}

TEST_CASE("a node without CPUs, or with another GPU type, leaves all its GPUs unused") {
  Demand typed = share(1000);
  typed.types = 2;
  ClusterNode node = empty_node(4);
  CHECK(TypicalMix({{share(1000, 64'001), 1}}).weighted_fragment(node) == 4000);
  CHECK(TypicalMix({{typed, 1}}).weighted_fragment(node) == 4000);
  CHECK(TypicalMix({{Demand{.cpu_milli = 1}, 1}}).weighted_fragment(node) == 4000);
  CHECK(TypicalMix({{share(1000), 3}}).weighted_fragment(node) == 0);
}

TEST_CASE("the published score is an integer around 50") {
  CHECK(published_score(0) == 50);
  CHECK(published_score(1) == 49);
  CHECK(published_score(-1000) == 73);
  CHECK(published_score(8000) == 0);
}

TEST_CASE("the mix is made of the commonest tasks, and memory makes no kind") {
  std::vector<TypicalKind> tasks{{share(500), 90}, {share(200), 6}, {share(300), 4}};
  tasks[0].weight = 45;
  tasks.push_back(tasks[0]);
  tasks[3].demand.memory_mib = 7;
  const TypicalMix mix = TypicalMix::commonest(tasks);
  REQUIRE(mix.kinds().size() == 2);
  CHECK(mix.kinds()[0].demand == share(500));
  CHECK(mix.kinds()[0].weight == 90);
  CHECK(mix.weight() == 96);
}

TEST_CASE("of tasks that are all different, the mix keeps a bounded number of kinds, rounded up") {
  std::vector<TypicalKind> tasks;
  for (int i = 1; i <= 5000; ++i) tasks.push_back({share(1 + i % 1000, i), 1});
  const TypicalMix mix = TypicalMix::commonest(tasks);
  CHECK(mix.kinds().size() <= TypicalMix::most_kinds);
  CHECK(mix.weight() >= 4750);
  CHECK(rounded_demand(share(51, 11'908)) == share(100, 12'288));
  CHECK(rounded_demand(share(1000, 0)) == share(1000, 0));
}

TEST_CASE("best fit prefers the node that has least left") {
  std::vector<ClusterNode> cluster{empty_node(8), empty_node(2)};
  const TypicalMix mix({{share(500), 1}});
  const auto policy = make_policy("bestfit", cluster, mix);
  CHECK(policy->score(cluster[1], share(500)) > policy->score(cluster[0], share(500)));
}

TEST_CASE("an unknown policy is none") {
  CHECK(make_policy("best", {}, TypicalMix({{share(500), 1}})) == nullptr);
  for (const PolicyName& name : policy_names())
    CHECK(make_policy(name.name, std::vector{empty_node(1)}, TypicalMix({{share(500), 1}})) != nullptr);
}

#include <algorithm>
#include <numeric>

#include "tests/kernel/placement/openb_excerpt.h"

using namespace kernel::placement;

namespace {

const std::string node_header = "sn,cpu_milli,memory_mib,gpu,model\n";
const std::string task_header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n";

std::string problem_of_nodes(const std::string& text) {
  GpuTypes types;
  const auto nodes = read_nodes(text, "n.csv", types);
  return nodes ? "" : nodes.problem().text();
}

std::string problem_of_tasks(const std::string& text) {
  GpuTypes types;
  const auto tasks = read_tasks(text, "t.csv", types);
  return tasks ? "" : tasks.problem().text();
}

}  // namespace

TEST_CASE("a trace is read by the names of its columns") {
  GpuTypes types;
  const auto nodes =
      read_nodes("gpu,sn,model,memory_mib,cpu_milli,more\n8,n1,V100,786432,96000,x\n0,n2,,7,8,\n", "", types);
  REQUIRE(nodes);
  CHECK(nodes->at(0).name == "n1");
  CHECK(nodes->at(0).gpu_free == std::vector<int>(8, 1000));
  CHECK(nodes->at(0).cpu_free == 96'000);
  CHECK(nodes->at(1).type == 0);
  const auto tasks =
      read_tasks(task_header + "t1,4000,15258,1,220,T4|V100\nt2,4000,15258,1,220,V100|T4\nt3,1,2,0,0,\n", "", types);
  REQUIRE(tasks);
  CHECK(tasks->demands.size() == 2);
  CHECK(tasks->demand_of == std::vector<std::uint32_t>{0, 0, 1});
  CHECK(nodes->at(0).fits(tasks->demands[0]));
  CHECK_FALSE(nodes->at(1).fits(tasks->demands[0]));
  CHECK(read_tasks("name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,2,1000\n", "", types));
}

TEST_CASE("a malformed trace is one problem with its file and line") {
  CHECK(problem_of_nodes("") == "n.csv: it has no line with the names of the columns");
  CHECK(problem_of_nodes("sn,cpu_milli,memory_mib\n") ==
        "n.csv:1: gpu: this column is missing: the first line names the columns");
  CHECK(problem_of_nodes(node_header) == "n.csv:1: it has no nodes");
  CHECK(problem_of_nodes(node_header + "a,1,1,1,T4\n\nb,1,1.5,1,T4\n") ==
        "n.csv:4: memory_mib: `1.5` is no integer from 0 to 1000000000000");
  CHECK(problem_of_nodes(node_header + "a,1,1,1,T4\na,1,1,1,T4\n") == "n.csv:3: sn: there is another node `a`");
  CHECK(problem_of_nodes(node_header + "a,1,1,65,T4\n") == "n.csv:2: gpu: `65` is no integer from 0 to 64");
  CHECK(problem_of_nodes(node_header + "a,1,1,1,T4|V100\n") == "n.csv:2: model: a node has one GPU type");
  CHECK(problem_of_nodes(node_header + ",1,1,1,T4\n") == "n.csv:2: sn: the node has no name");
  CHECK(problem_of_tasks(task_header + "a,1,1,1\n") == "t.csv:2: it has 4 fields, the first line has 6");
  CHECK(problem_of_tasks(task_header + "a,1,1,1,1001,\n") == "t.csv:2: gpu_milli: `1001` is no integer from 1 to 1000");
  CHECK(problem_of_tasks(task_header + "a,1,1,0,500,\n") == "t.csv:2: gpu_milli: `500` is no integer from 0 to 0");
  CHECK(problem_of_tasks(task_header + "a,1,1,1,500,\n\"b,1,1,1,500,\n") ==
        "t.csv:3: the record is malformed: quotes stand around a whole field");
  CHECK(problem_of_tasks("\xff") == "t.csv: it is not UTF-8 text");
  std::string many = task_header;
  for (int i = 0; i < 65; ++i) many += "a,1,1,1,500,T" + std::to_string(i) + "\n";
  CHECK(problem_of_tasks(many) == "t.csv:66: gpu_spec: there are more than 64 GPU types");
}

TEST_CASE("all tasks arrive once, in an order that follows from the seed") {
  const openb::Excerpt excerpt;
  stats::Xoshiro random(1), again(1), other(2);
  const Arrivals order = *arrivals(excerpt.workload, std::nullopt, excerpt.gpu_milli(), random);
  CHECK(order == *arrivals(excerpt.workload, std::nullopt, excerpt.gpu_milli(), again));
  CHECK(order != *arrivals(excerpt.workload, std::nullopt, excerpt.gpu_milli(), other));
  Arrivals sorted = order;
  std::ranges::sort(sorted);
  Arrivals all(excerpt.workload.names.size());
  std::iota(all.begin(), all.end(), 0U);
  CHECK(sorted == all);
}

TEST_CASE("inflation adds or removes tasks until they ask for the multiple of the GPUs") {
  const openb::Excerpt excerpt;
  for (const double inflate : {0.3, 1.3, 3.0}) {
    const Allocation outcome = excerpt.outcome("fifo", inflate, 5);
    const double limit = inflate * static_cast<double>(excerpt.gpu_milli());
    CHECK(static_cast<double>(outcome.asked_gpu_milli) <= limit);
    CHECK(static_cast<double>(outcome.asked_gpu_milli) > limit - 8 * whole_gpu);
    CHECK(outcome.gpu_total == excerpt.gpu_milli());
    CHECK(outcome.gpu_used <= outcome.gpu_total);
  }
  stats::Xoshiro random(1);
  Workload without = excerpt.workload;
  for (Demand& demand : without.demands) demand.gpus = demand.gpu_milli = 0;
  CHECK_FALSE(arrivals(without, 1.3, 1000, random));
}

TEST_CASE("fragmentation gradient descent allocates most, then best fit, then random") {
  const openb::Excerpt excerpt;
  const auto allocated = [&](const std::string& policy) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Allocation outcome = excerpt.outcome(policy, 1.3, seed);
      CHECK(outcome.fragment <= static_cast<double>(outcome.gpu_total - outcome.gpu_used) + 1e-6);
      sum += static_cast<double>(outcome.gpu_used) / static_cast<double>(outcome.gpu_total);
    }
    return sum / 10;
  };
  const double fgd = allocated("fgd"), best_fit = allocated("bestfit"), random = allocated("random");
  CAPTURE(fgd, best_fit, random);
  CHECK(fgd > best_fit + 0.005);
  CHECK(best_fit > random + 0.02);
}

TEST_CASE("the explanation of a task lists the nodes that fit at its arrival") {
  const openb::Excerpt excerpt;
  stats::Xoshiro random(1);
  const auto order = arrivals(excerpt.workload, std::nullopt, excerpt.gpu_milli(), random);
  const auto policy = make_policy("fgd", excerpt.nodes, excerpt.mix);
  Placer placer(excerpt.nodes, *policy, 1);
  const std::uint32_t first = order->front();
  const Allocation outcome = run(placer, excerpt.workload, *order, excerpt.mix, first);
  REQUIRE(outcome.explanation);
  REQUIRE(outcome.explanation->placement);
  CHECK(outcome.explanation->placement->node == outcome.explanation->candidates.front().node);
  const Demand& demand = excerpt.workload.demands[excerpt.workload.demand_of[first]];
  CHECK(std::ranges::count_if(excerpt.nodes, [&](const ClusterNode& node) { return node.fits(demand); }) ==
        std::ssize(outcome.explanation->candidates));
}

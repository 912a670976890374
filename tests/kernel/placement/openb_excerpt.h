#pragma once
// The committed excerpt of the openb trace.

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kernel/placement/trace_files.h"
#include "kernel/placement/workload.h"
#include "tests/places.h"

namespace openb {

inline std::string text_of(const std::string& name) {
  std::ifstream in(tests::source_dir() + "/tests/kernel/placement/openb/" + name);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Excerpt {
  kernel::placement::GpuTypes types;
  std::vector<kernel::placement::ClusterNode> nodes =
      *kernel::placement::read_nodes(text_of("nodes.csv"), "nodes.csv", types);
  kernel::placement::Workload workload = *kernel::placement::read_tasks(text_of("tasks.csv"), "tasks.csv", types);
  kernel::placement::TypicalMix mix = kernel::placement::TypicalMix::commonest(workload.counted());

  std::int64_t gpu_milli() const {
    std::int64_t all = 0;
    for (const auto& node : nodes) all += node.total_gpu_milli();
    return all;
  }

  /// One run as `etude simulate` does it.
  kernel::placement::Allocation outcome(const std::string& policy_name, double inflate, std::uint64_t seed) const {
    stats::Xoshiro random(seed);
    const auto order = kernel::placement::arrivals(workload, inflate, gpu_milli(), random);
    auto shuffled = nodes;
    kernel::placement::shuffle(shuffled, random);
    const auto policy = kernel::placement::make_policy(policy_name, shuffled, mix);
    kernel::placement::Placer placer(shuffled, *policy, random.next());
    return kernel::placement::run(placer, workload, *order, mix);
  }
};

}  // namespace openb

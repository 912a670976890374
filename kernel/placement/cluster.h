#pragma once
// Nodes with CPUs, memory and GPUs that tasks can share, and what a task asks of one of them. Knows no policy and no
// file format. Values; one thread at a time.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernel::placement {

/// A GPU has this many shares.
inline constexpr int whole_gpu = 1000;

/// A node has at most this many GPUs.
inline constexpr std::size_t most_devices = 64;

/// A set of GPU types, one bit each (`GpuTypes`).
using TypeSet = std::uint64_t;

/// The names of the GPU types of a cluster and its tasks.
class GpuTypes {
 public:
  static constexpr std::size_t most = 64;
  /// The type's bit, which is new if the name is; none if there are `most` types already.
  std::optional<TypeSet> bit(const std::string& name);

 private:
  std::vector<std::string> names_;
};

/// What a task asks for. All on one node.
struct Demand {
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  int gpus = 0;       ///< Number of GPUs.
  int gpu_milli = 0;  ///< Shares of each of them, 1 to 1000; 0 if `gpus` is 0.
  TypeSet types = 0;  ///< GPU types that will do; 0: any.

  bool operator==(const Demand&) const = default;
  /// A part of one GPU, which others may use too.
  bool is_share() const { return gpus == 1 && gpu_milli < whole_gpu; }
  std::int64_t total_gpu_milli() const { return std::int64_t{gpus} * gpu_milli; }
};

struct HashOfDemand {
  std::size_t operator()(const Demand&) const;
};

/// The parts of a node that are free, and how much it has.
struct ClusterNode {
  std::string name;
  TypeSet type = 0;  ///< One bit; 0 without GPUs.
  std::int64_t cpu_free = 0, cpu_total = 0;
  std::int64_t memory_free = 0, memory_total = 0;
  std::vector<int> gpu_free;  ///< Free shares of each GPU.

  std::int64_t total_gpu_milli() const { return std::int64_t{whole_gpu} * static_cast<std::int64_t>(gpu_free.size()); }
  std::int64_t free_gpu_milli() const;
  /// Whether tasks with these types may use the node's GPUs.
  bool has_type(TypeSet types) const { return types == 0 || (types & type) != 0; }
  bool fits(const Demand&) const;
};

/// The indexes of GPUs of one node.
using Devices = std::vector<int>;

/// Takes from the node what it must have; `devices` are as many as the demand's GPUs, each with enough free shares.
void take(ClusterNode&, const Demand&, const Devices&);
void give_back(ClusterNode&, const Demand&, const Devices&);

}  // namespace kernel::placement

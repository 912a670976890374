#pragma once
// Reads the nodes and tasks of a cluster from CSV in the format of Alibaba's openb trace (cluster-trace-gpu-v2023).
// Columns may stand in any order, and unknown ones are ignored. Pure; the names of GPU types are collected in
// `GpuTypes`.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernel/placement/cluster.h"
#include "kernel/placement/workload.h"

namespace kernel::placement {

/// Columns sn, cpu_milli, memory_mib, gpu and, if any node has GPUs, model. `file` is named in problems.
Result<std::vector<ClusterNode>> read_nodes(std::string_view text, const std::string& file, GpuTypes&);

/// Columns name, cpu_milli, memory_mib, num_gpu, gpu_milli and, if tasks want certain types (`A|B`), gpu_spec.
Result<Workload> read_tasks(std::string_view text, const std::string& file, GpuTypes&);

}  // namespace kernel::placement

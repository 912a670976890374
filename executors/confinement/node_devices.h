#pragma once
// The GPUs that a cluster's scheduler gave to a job on this node. The kernel that wrote the job file could not know
// them.

#include "executors/run_protocol/job_file.h"

namespace supervisor {

/// Makes these devices the job's and its evaluation's: in CUDA_VISIBLE_DEVICES, and in the sandbox as nodes of /dev.
/// `visible`: the scheduler's value of that variable; if it does not consist of indices, all of the node's devices are
/// shown, and the scheduler's own means keep the job from others. Only for jobs that were written elsewhere.
void use_node_devices(Job&, const char* visible);

}  // namespace supervisor

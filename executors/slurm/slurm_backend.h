#pragma once
// A Slurm cluster as a backend. Programs and the sandbox are those of this machine, which the nodes must have at the
// same paths; run folders, workspaces and kept outputs are in the shared folder.

#include <memory>

#include "config/executor_settings.h"
#include "executors/backend/backend.h"

namespace executors {

/// `supervisor`: path of etude-supervisor on this machine; empty: in the folder of the running program.
std::unique_ptr<Backend> slurm_backend(config::ExecutorSettings, std::string supervisor = "");

}  // namespace executors

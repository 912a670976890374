#pragma once
// From a planned run to the job an executor needs. Pure.

#include "kernel/executor.h"
#include "kernel/state.h"

namespace kernel {

/// Where a home keeps what jobs need; absolute paths.
struct Places {
  std::string runs;        ///< RUNS/STUDY/NUMBER is a run's folder.
  std::string workspaces;  ///< WORKSPACES/HASH is a frozen workspace.
};

/// The job of one attempt. Precondition: the run has its token.
JobSpec job_of(const Study&, const Run&, const Places&);

/// Placeholder → text for one cell and seed, all but those only an executor knows ({run_dir}, {port}, {data.X}).
std::map<std::string, std::string> placeholder_values(const StudySpec&, const Cell&, std::uint64_t seed);

/// Content of ETUDE_PARAMS: factors and constants by name, numbers as numbers, bundles as objects.
std::string params_json(const StudySpec&, const Cell&);

}  // namespace kernel

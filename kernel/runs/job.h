#pragma once
// From a planned run to the job an executor needs. Pure.

#include "kernel/domain/job_spec.h"
#include "kernel/study/state.h"

namespace kernel {

/// Where a home keeps what jobs need; absolute paths.
struct Places {
  std::string runs;        ///< RUNS/STUDY/LAUNCH is a launch's folder, RUNS/STUDY/checkpoint-NUMBER a chain's.
  std::string workspaces;  ///< WORKSPACES/HASH is a frozen workspace.
  std::string kept;        ///< KEPT/SHA256/NAME is what a run left for later ones.
};

/// The name of a launch's own folder: NUMBER-TOKEN, the token's first characters being enough. A run whose launch was
/// voided is launched anew under another token, and what the first one left must not stand in its way.
std::string launch_name(int number, const LaunchToken&);

/// The run that a chain of attempts began with.
int first_attempt(const RunBoard&, const Run&);
/// The name of the folder that a chain's attempts share.
std::string checkpoint_name(int first_attempt);

/// The job of one attempt; its checkpoint is that of the whole chain. Precondition: the run has its token.
JobSpec job_of(const Study&, const Run&, const Places&);

/// Where an output that was kept lies below Places::kept.
std::string kept_place(const KeptOutput&);

/// Placeholder → text for one cell (or a stage's part of one) and seed, all but those only an executor knows
/// ({run_dir}, {port}, {data.X}).
std::map<std::string, std::string> placeholder_values(const StudySpec&, const Cell&, std::uint64_t seed,
                                                      const std::string& stage = "");

/// Content of ETUDE_PARAMS: factors and constants by name, numbers as numbers, bundles as objects.
std::string params_json(const StudySpec&, const Cell&);

}  // namespace kernel

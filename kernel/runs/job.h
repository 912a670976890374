#pragma once
// Builds the job for the executor from a planned run. Pure.

#include "kernel/study/state.h"

namespace kernel {

/// Folders of a home that jobs need; absolute paths.
struct Places {
  std::string runs;  ///< RUNS/STUDY/LAUNCH is a launch's folder, RUNS/STUDY/checkpoint-NUMBER the folder of a chain.
  std::string workspaces;  ///< WORKSPACES/HASH is a frozen workspace.
  std::string kept;        ///< KEPT/SHA256/NAME is an output that a run left for later ones.
};

/// Name of a launch's folder: NUMBER-TOKEN, with the token's first characters. A new launch of the same run has another
/// token, so that files of a voided launch are not in its way.
std::string launch_name(int number, const LaunchToken&);

/// Name of the folder that the attempts of a chain share.
std::string checkpoint_name(int first_attempt);

/// The job of one attempt; its checkpoint is that of the chain. Precondition: the run has a token.
JobSpec job_of(const Study&, const Run&, const Places&);

/// Path of a kept output below Places::kept.
std::string kept_place(const KeptOutput&);

/// Placeholder → text for a cell (or a stage's part) and a seed, without the executor's: {run_dir}, {port}, {data.X}.
std::map<std::string, std::string> placeholder_values(const StudySpec&, const Cell&, std::uint64_t seed,
                                                      const std::string& stage = "");

/// Content of ETUDE_PARAMS: factors and constants by name, numbers as numbers, bundles as objects.
std::string params_json(const StudySpec&, const Cell&);

}  // namespace kernel

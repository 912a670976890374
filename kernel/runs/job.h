#pragma once
// Builds the job for the executor from a planned run. Pure.

#include <string_view>

#include "kernel/study/state.h"

namespace kernel {

/// Folders of a home that jobs need; absolute paths.
struct Places {
  std::string runs;  ///< RUNS/STUDY/LAUNCH is a launch's folder, RUNS/STUDY/checkpoint-LAUNCH the folder of a chain.
  std::string workspaces;  ///< WORKSPACES/HASH is a frozen workspace.
  std::string kept;        ///< KEPT/SHA256/NAME is an output that a run left for later ones.
};

/// All that a job may know of which run it is: the first characters of its launch's token. It is ETUDE_RUN and the name
/// of the run's folder, since a job sees the paths of what is mounted. A new launch of the same run has another token,
/// so that files of a voided launch are not in its way. Precondition: the token is not empty.
std::string launch_name(const LaunchToken&);

/// Name of the folder that the attempts of a chain share, by the launch of the first one.
inline constexpr std::string_view checkpoint_prefix = "checkpoint-";
std::string checkpoint_name(const LaunchToken& first_attempt);

/// The job of one attempt; its checkpoint is that of the chain. What the job sees is the same for all purposes.
/// Precondition: the run has a token.
JobSpec job_of(const Study&, const Run&, const Places&);

/// Path of a kept output below Places::kept.
std::string kept_place(const KeptOutput&);

/// Placeholder → text for a cell (or a stage's part) and a seed, without the executor's: {run_dir}, {port}, {data.X}.
std::map<std::string, std::string> placeholder_values(const StudySpec&, const Cell&, std::uint64_t seed,
                                                      const std::string& stage = "");

/// Content of ETUDE_PARAMS: factors and constants by name, numbers as numbers, bundles as objects.
std::string params_json(const StudySpec&, const Cell&);

}  // namespace kernel

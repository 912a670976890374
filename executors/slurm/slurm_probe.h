#pragma once
// Asks nodes of the cluster, by a short job on each, whether they have the files that a study's runs need: the nodes
// that runs name, or else one node of each kind that can have them. Blocks the calling thread for half a minute at
// most, if Slurm answers; any thread may use it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/executor_settings.h"
#include "executors/backend/backend.h"

namespace executors {

/// Has a problem if a node lacks some of the paths, does not see the shared folder, or does not exist; none also if no
/// node is free in time, or the controller does not answer.
NodesAnswer probe_nodes(const config::ExecutorSettings&, const std::string& home, const NodeNeeds&);
/// Removes what probes of killed programs left in SHARED/etude-HOME.
void remove_old_probes(const std::string& shared_home);

/// Nodes with the same features, GPUs, processors and memory.
struct NodeKind {
  int count = 0;
  std::string nodes;  ///< As Slurm writes a list of them: n[1-4],m7
};
/// The argument of sinfo's option for the format of its lines.
inline constexpr char kinds_format[] = "%P|%f|%G|%c|%m|%D|%N";
/// Kinds in the lines of sinfo, those with most nodes first. `usual`: only of the partition that jobs get which name
/// none. Lines of another form are left out.
std::vector<NodeKind> node_kinds(std::string_view lines, bool usual);

/// The job's script: writes NODE, and then each path that is not there, into the file.
std::string probe_script(const std::vector<std::string>& paths, const std::string& answer);

}  // namespace executors

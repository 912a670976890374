#pragma once
// Asks one node of the cluster, by a short job, whether it has the files that a study's runs need. Blocks the calling
// thread for half a minute at most; any thread may use it.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/executor_settings.h"

namespace executors {

/// The problem, with its remedy, if the node lacks some of these absolute paths, or does not see the shared folder.
/// None also if no node is free in time, or the controller does not answer.
std::optional<kernel::Problem> probe_node(const config::ExecutorSettings&, const std::string& home,
                                          const std::vector<std::string>& paths);
/// Removes what probes of killed programs left in SHARED/etude-HOME.
void remove_old_probes(const std::string& shared_home);

/// The job's script: writes NODE, and then each path that is not there, into the file.
std::string probe_script(const std::vector<std::string>& paths, const std::string& answer);

}  // namespace executors

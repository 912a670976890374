#pragma once
// The files in an artifact of etude whose hashes are in its event log: the workspaces, src/workspace/HASH, compared
// with the manifest that has this hash, and the points that runs reported. Trusts neither etude.json nor the files.
// Reads only below the root.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "artifacts/read/safe_root.h"
#include "base/result.h"
#include "kernel/measure/measure.h"

namespace artifacts {

/// Such as "src/workspace/HASH".
std::string workspace_path(const std::string& hash);
/// The folder with copies of the evaluator's data, as TIER/PLACE; the manifest is next to it.
inline constexpr const char* sealed_folder = "src/evaluator";

/// Every difference of the files from the manifest, and of the manifest from its hash: file and reason.
std::vector<kernel::Problem> workspace_problems(const SafeRoot&, const Listing&, const std::string& hash);

struct RunPoints {
  std::vector<kernel::MetricPoint> points;
  int line = 0;            ///< Line of its first row.
  bool exact = true;       ///< False if a name contains characters that the row changes.
  bool understood = true;  ///< False if a row is malformed.
};

/// From evidence/results/E01_points.csv, by the run's id. None if there is no such file, or one that is too large.
std::optional<std::map<std::string, RunPoints>> read_points(const SafeRoot&, const std::string& experiment);

}  // namespace artifacts

#pragma once
// The record in an artifact of etude: the event log, verified along its chain and folded into its study, and the files
// whose hashes it has: workspaces, compared with the manifest that has their hash, and the points that runs reported.
// Trusts neither etude.json nor the files. Reads only below the root.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "artifacts/read/safe_root.h"
#include "base/result.h"
#include "kernel/measure/measure.h"
#include "kernel/study/state.h"

namespace artifacts {

inline constexpr const char* log_file = "trace/events.jsonl";

struct RecordedLog {
  kernel::Study study;
  std::string head;  ///< The last hash of the chain.
  long long events = 0;
  int version = 1;  ///< Of its newest kind of event.
};

/// Gets each event before it is folded. `before`: the study before the event; null before the first one.
using LogObserver = std::function<void(const kernel::Study* before, const kernel::Event&, int line)>;

/// Gets the number of bytes hashed so far and in all, on the calling thread.
using HashObserver = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// The problem names the line where the chain is broken, or another reason: no such file, larger than 1 GB, impossible
/// events, a registration with a wrong hash.
kernel::Result<RecordedLog> read_log(const SafeRoot&, const LogObserver& = {});
/// Reads a log from its bytes.
kernel::Result<RecordedLog> read_log_text(std::string_view bytes, const LogObserver& = {});

inline constexpr std::uint64_t largest_log = 1u << 30;

/// Such as "src/workspace/HASH".
std::string workspace_path(const std::string& hash);
/// What an agent changed of a person's code.
inline constexpr const char* amendment_path = "src/amendment.diff";
/// The folder with copies of the evaluator's data, as TIER/PLACE; the manifest is next to it.
inline constexpr const char* sealed_folder = "src/evaluator";

/// Every difference of a folder's files from its manifest, FOLDER.manifest, and of the manifest from its hash: file and
/// reason. Files that were `withheld` may be missing.
std::vector<kernel::Problem> folder_problems(const SafeRoot&, const Listing&, const std::string& folder,
                                             const std::string& hash, const std::set<std::string>& withheld);

struct RunPoints {
  std::vector<kernel::MetricPoint> points;
  int line = 0;            ///< Line of its first row.
  bool exact = true;       ///< False if a name contains characters that the row changes.
  bool understood = true;  ///< False if a row is malformed.
};

/// From evidence/results/E01_points.csv, by the run's id. None if there is no such file, or one that is too large.
std::optional<std::map<std::string, RunPoints>> read_points(const SafeRoot&, const kernel::ExperimentId& experiment);

/// Whether the study is captured work of a person, in which no result must follow from runs.
bool claims_nothing(const kernel::Study&);

/// Whether the registration's sizes and hypotheses can be computed. A log may contain anything, but the kernel and the
/// pages expect studies that were checked when they were opened.
bool can_be_computed(const kernel::Study&, const kernel::Registration&);
/// Whether the study's factors, hypotheses, registrations and nodes can be computed.
bool can_be_computed(const kernel::Study&);

}  // namespace artifacts

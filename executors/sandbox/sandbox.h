#pragma once
// The bubblewrap arguments of a job: an allow-list of what it may see, everything else is not there. Pure but for
// looking which of the listed files this machine has. The probe asks bubblewrap itself whether it can do this here.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "executors/backend/backend.h"
#include "executors/devices/gpus.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// Paths as the job sees them inside.
namespace inside {
inline constexpr char work[] = "/etude/work";
inline constexpr char out[] = "/etude/out";
inline constexpr char data[] = "/etude/data/";
inline constexpr char metrics[] = "/etude/metrics.jsonl";
inline constexpr char params[] = "/etude/params.json";
inline constexpr char checkpoint[] = "/etude/checkpoint";
inline constexpr char home[] = "/tmp";
}  // namespace inside

struct SandboxPlan {
  std::vector<std::string> arguments;                      ///< For bubblewrap, without command and environment.
  std::vector<std::pair<std::string, std::string>> files;  ///< Path inside and content: made on the spot.
};

/// What a job sees of the system, looked for on this machine once a second at most. One thread uses it.
class SystemFiles {
 public:
  /// For bubblewrap; valid until the next call.
  const std::vector<std::string>& words(bool network);

 private:
  static constexpr std::int64_t fresh_ms = 1000;
  struct Look {
    std::vector<std::string> words;
    std::int64_t at_ms = 0;
  };
  Look looks_[2];
};

/// Everything but the first process inside, which the supervisor brings. `checkpoint`: absolute, outside. `gpus`: of
/// the leased devices; there are no others inside.
SandboxPlan plan_sandbox(const kernel::JobSpec&, SystemFiles&, const std::string& checkpoint,
                         const GpuNodes& gpus = {});

/// The same for the evaluation of the job: no network, nothing that the job could write but its outputs, and those and
/// the workspace read-only. Precondition: there is an evaluation.
SandboxPlan plan_evaluation(const kernel::JobSpec&, SystemFiles&, const GpuNodes& gpus = {});

/// The same isolation around nothing but the system.
std::vector<std::string> bare_sandbox();

/// Sets up a sandbox like a job's and looks at it from inside: every capability must be gone. Takes about 10 ms.
/// `search_path`: where to look for bubblewrap, like PATH. `settings`: the kernel's, which tell the cause.
SandboxProbe probe_sandbox(const std::string& search_path, const std::string& settings = "/proc/sys");

}  // namespace executors

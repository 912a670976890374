#pragma once
// The bubblewrap arguments of a job: an allow-list of what it sees; nothing else exists inside. Pure, except for checks
// which of the listed files this machine has, and a copy of those in /etc. The probe runs bubblewrap to find out
// whether it works here.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "executors/backend/backend.h"
#include "executors/devices/machine.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// Paths inside the sandbox.
namespace inside {
inline constexpr char work[] = "/etude/work";
inline constexpr char out[] = "/etude/out";
inline constexpr char code[] = "/etude/code";  ///< Only of an evaluation: the snapshot that the job had a copy of.
inline constexpr char data[] = "/etude/data/";
inline constexpr char metrics[] = "/etude/metrics.jsonl";
inline constexpr char params[] = "/etude/params.json";
inline constexpr char checkpoint[] = "/etude/checkpoint";
inline constexpr char continued[] = "/etude/continue";
inline constexpr char home[] = "/tmp";
}  // namespace inside

struct SandboxPlan {
  std::vector<std::string> arguments;                      ///< For bubblewrap, without the command and the environment.
  std::vector<std::pair<std::string, std::string>> files;  ///< Path inside and content; bubblewrap creates them.
};

/// What a job sees of the system: arguments for bubblewrap, and files as in SandboxPlan.
struct SystemView {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> files;
  std::string etc;  ///< The copy of /etc that they name; empty: none.
};

/// Where jobs run.
enum class OfMachine { this_one, another };

/// The system files that jobs see, checked at most once a second. One thread uses it.
class SystemFiles {
 public:
  explicit SystemFiles(OfMachine machine = OfMachine::this_one) : machine_(machine) {}
  /// Valid until the next call. `network`: files for it are seen, too. The job's image has the files if it has one. For
  /// jobs on this machine without a network, keeps a copy of /etc in the home (etc_copy.h).
  const SystemView& view(const kernel::JobSpec&, bool network);

 private:
  static constexpr std::int64_t fresh_ms = 1000;
  struct Look {
    SystemView view;
    std::int64_t at_ms = 0;
  };
  bool is_fresh(const Look&, std::int64_t now) const;
  OfMachine machine_;
  std::map<std::tuple<std::string, bool, std::string>, Look> looks_;  ///< By image, network and folder of copies.
};

/// Everything but the first process inside, which the supervisor adds. `checkpoint`: absolute, outside. `gpus`: of the
/// leased devices; no others are visible inside.
SandboxPlan plan_sandbox(const kernel::JobSpec&, SystemFiles&, const std::string& checkpoint,
                         const GpuNodes& gpus = {});

/// The same for the job's evaluation: no network, and of the job only its outputs and its code, which are read-only
/// like the workspace. Precondition: there is an evaluation.
SandboxPlan plan_evaluation(const kernel::JobSpec&, SystemFiles&, const GpuNodes& gpus = {});

/// What a job sees where no sandbox can be made, and Landlock confines it; absolute, outside.
struct AllowedPaths {
  std::vector<std::string> read, write;
};
AllowedPaths allowed_paths(const kernel::JobSpec&, const std::string& checkpoint, const GpuNodes& gpus = {});

/// The same isolation with only the system's files and, if it is not empty, `program`, which is an absolute path.
/// `image`: the folder of an image that has the system's files; empty: they are this machine's.
std::vector<std::string> bare_sandbox(const std::string& program = "", const std::string& image = "");

/// Sets up a sandbox like a job's and checks from inside that no capability is left and that system calls can be
/// filtered. Takes about 10 ms. `search_path`:
/// where to look for bubblewrap, like PATH. `settings`: the kernel's settings, which explain a failure.
SandboxProbe probe_sandbox(const std::string& search_path, const std::string& settings = "/proc/sys");

}  // namespace executors

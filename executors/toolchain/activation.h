#pragma once
// Runs the lines that prepare an environment (`activate`, `module load`, a conda environment's scripts) once, in a
// clean bash outside every sandbox, and tells what they changed. Knows no studies and no runs. Blocks the calling
// thread; any thread may use it.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "executors/backend/backend.h"

namespace executors {

/// What the lines changed.
struct Activation {
  Variables variables;            ///< New or changed ones, without PATH and what only shells and modules need.
  std::vector<std::string> path;  ///< Entries that PATH did not have before, in their order.
  std::vector<std::pair<std::string, std::string>> modules;  ///< Loaded ones and their files, in their order.
};

struct ActivationRequest {
  std::string lines;   ///< For bash.
  std::string folder;  ///< Where they run.
  /// The caller's variables; the lines see only some of them: PATH, HOME and what modules need.
  Variables own;
  Variables more{};      ///< Further variables that they see.
  bool modules = false;  ///< Whether they may use the command `module`, which is looked for then.
  bool lenient = false;  ///< Whether a command that fails is passed over.
};

/// A problem if a command fails, if there is no `module`, or if a changed variable looks as if it held a key.
kernel::Result<Activation> activate(const ActivationRequest&);

/// Those that a job has a use for: not PATH, and not those of shells, of modules and of etude.
Variables variables_for_jobs(const Variables&);
/// Whether the variable looks as if it held a key.
bool looks_like_key(const std::string& name, const std::string& value);

/// Hex SHA-256 of all that was changed.
std::string digest_of(const Activation&);

/// The loaded modules, by the names and versions in `NAME/VERSION`.
std::vector<kernel::ProgramRecord> module_records(const Activation&);

}  // namespace executors

#pragma once
// The environments that `environment.use` can name, as files: where a virtual environment or a conda environment lies,
// which packages it lists, and what identifies it. Only `check_uv` starts a program. Any thread may use it.

#include <map>
#include <optional>
#include <string>

#include "executors/backend/backend.h"

namespace executors {

/// An environment in a folder of its own.
struct NamedEnvironment {
  std::string folder;                           ///< Absolute.
  std::string name;                             ///< As the study calls it; empty for a virtual environment.
  kernel::ProgramRecord record;                 ///< Its kind, and the digest of its lock file or list of packages.
  std::map<std::string, std::string> packages;  ///< Name → version, as it lists them.
};

/// `machine`: this machine lacks something; otherwise what the study names is not there.
kernel::Problem problem_of_use(std::string why, std::string todo, bool machine = false);

/// The place that a study names: relative ones start at the query's folder.
std::string absolute_place(std::string path, const EnvironmentQuery&, const Variables& own);

/// The one that `use` names, if that is `venv:…`, `uv` or `conda:…`; else none. A problem if it is not there.
kernel::Result<std::optional<NamedEnvironment>> named_environment_of(const EnvironmentQuery&, const Variables& own);

/// Asks uv, offline, whether its lock file fits pyproject.toml, and whether .venv has what the lock file says.
/// Precondition: `use` is `uv`, and `named_environment_of` found it.
std::optional<kernel::Problem> check_uv(const EnvironmentQuery&, const Variables& own);

/// The lines that a conda environment wants to be run when it is activated, for bash, and the variables it sets.
std::string conda_lines(const std::string& folder);

/// The words after `module:`, quoted for bash.
std::string module_lines(const std::string& use);

/// The CUDA toolkit that CUDA_HOME, CUDA_PATH or CUDA_ROOT names, with its version.
std::optional<kernel::ProgramRecord> cuda_toolkit(const Variables&);

}  // namespace executors

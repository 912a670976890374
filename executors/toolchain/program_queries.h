#pragma once
// Asks installed programs for what only they know: the program behind a shim of a version manager (pyenv, rbenv,
// nodenv, goenv, asdf, mise, rustup), and a Python's version, paths and libraries. A shim is a small program with a
// tool's name that starts the chosen version. Also gives the environment for queries.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace executors {

/// The program that the shim `path` would start; `path` itself if it is not a shim; empty if the manager cannot tell.
std::string behind_shim(const std::string& path, const std::map<std::string, std::string>& environment);

/// The environment for querying programs: only PATH, HOME and the managers' variables. A `.python-version` in
/// `workspace` counts as the person's choice, because pyenv would use it there.
std::map<std::string, std::string> asking_environment(const std::map<std::string, std::string>& own,
                                                      const std::string& workspace);

struct Python {
  std::string executable;   ///< As Python reports it; links are not resolved.
  std::string prefix;       ///< Folder of its packages: the virtual environment, if it is one.
  std::string base_prefix;  ///< Folder of its standard library.
  std::string version;      ///< "3.11.2"
  std::string user_site;    ///< The person's own packages, if Python uses them and the folder exists; else empty.
  std::string user_base;
  std::vector<std::string> folders;  ///< Where it looks for modules, those of links to source code included.
  /// Importable libraries from the installation's list: name → version.
  std::map<std::string, std::string> libraries;
};

/// `program`: a path. `environment` should have PATH and HOME. `before`: words in front of it, which enter an image.
kernel::Result<Python> ask_python(const std::string& program, const std::map<std::string, std::string>& environment,
                                  const std::vector<std::string>& before = {});

/// True for python, python3, python3.11, pypy3 and the like.
bool is_python_name(const std::string& name);

}  // namespace executors

#pragma once
// Queries a Python's version, paths and libraries. Wrappers and version managers' shims pass the query on.

#include <map>
#include <string>

#include "base/result.h"

namespace executors {

struct Python {
  std::string executable;   ///< As Python reports it; links are not resolved.
  std::string prefix;       ///< Folder of its packages: the virtual environment, if it is one.
  std::string base_prefix;  ///< Folder of its standard library.
  std::string version;      ///< "3.11.2"
  std::string user_site;    ///< The person's own packages, if Python uses them and the folder exists; else empty.
  std::string user_base;
  /// Importable libraries from the installation's list: name → version.
  std::map<std::string, std::string> libraries;
};

/// `program`: a path. `environment` should have PATH and HOME.
kernel::Result<Python> ask_python(const std::string& program, const std::map<std::string, std::string>& environment);

/// True for python, python3, python3.11, pypy3 and the like.
bool is_python_name(const std::string& name);

}  // namespace executors

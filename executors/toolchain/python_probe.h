#pragma once
// Asks a Python what it is. Works through wrappers and version managers' shims, for they pass the question on.

#include <map>
#include <string>

#include "base/result.h"

namespace executors {

struct Python {
  std::string executable;   ///< As it sees itself; links not resolved.
  std::string prefix;       ///< Where its packages are: the virtual environment, if it is one.
  std::string base_prefix;  ///< Where its standard library is.
  std::string version;      ///< "3.11.2"
  std::string user_site;    ///< The person's own packages, if it reads them and the folder exists; else empty.
  std::string user_base;
  /// Of what it can import, as the installation lists it: name → version.
  std::map<std::string, std::string> libraries;
};

/// `program`: a path. The environment should hold PATH and HOME.
kernel::Result<Python> ask_python(const std::string& program, const std::map<std::string, std::string>& environment);

/// python, python3, python3.11, pypy3
bool is_python_name(const std::string& name);

}  // namespace executors

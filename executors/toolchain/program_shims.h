#pragma once
// Finds the program behind a shim of a version manager (pyenv, rbenv, nodenv, goenv, asdf, mise, rustup). A shim is a
// small program with a tool's name that starts the chosen version. Also gives the environment for queries.

#include <map>
#include <string>

namespace executors {

/// The program that the shim `path` would start; `path` itself if it is not a shim; empty if the manager cannot tell.
std::string behind_shim(const std::string& path, const std::map<std::string, std::string>& environment);

/// The environment for querying programs: only PATH, HOME and the managers' variables. A `.python-version` in
/// `workspace` counts as the person's choice, because pyenv would use it there.
std::map<std::string, std::string> asking_environment(const std::map<std::string, std::string>& own,
                                                      const std::string& workspace);

}  // namespace executors

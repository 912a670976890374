#pragma once
// Finds the program behind a shim of a version manager (pyenv, rbenv, nodenv, goenv, asdf, mise, rustup): a small
// program under a tool's name that starts whichever version is chosen. Says also in which environment to ask.

#include <map>
#include <string>

namespace executors {

/// The program that the shim `path` would start; `path` itself when it is no shim; empty when its manager cannot say.
std::string behind_shim(const std::string& path, const std::map<std::string, std::string>& environment);

/// The environment in which to ask programs about themselves: PATH, HOME and what managers look at, nothing else. A
/// `.python-version` in `workspace` counts as the person's choice, for pyenv would take it there.
std::map<std::string, std::string> asking_environment(const std::map<std::string, std::string>& own,
                                                      const std::string& workspace);

}  // namespace executors

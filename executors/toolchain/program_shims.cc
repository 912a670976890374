#include "executors/toolchain/program_shims.h"

#include <fstream>

#include "programs/find_program.h"
#include "programs/run_program.h"

namespace executors {

using programs::find_on_path;
using programs::is_executable_file;
using programs::name_of;
using programs::parent_of;
using programs::real_path;

namespace {

constexpr const char* shim_managers[] = {"pyenv", "rbenv", "nodenv", "goenv", "asdf", "mise"};
constexpr const char* wanted[] = {"PATH", "HOME", "LANG", "USER"};
constexpr const char* wanted_families[] = {"PYENV_", "RBENV_",  "NODENV_",    "GOENV_",        "ASDF_",
                                           "MISE_",  "RUSTUP_", "CARGO_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"};

std::string answer_of(const std::string& manager, const std::string& name,
                      const std::map<std::string, std::string>& environment) {
  const auto ran = programs::run_program({.argv = {manager, "which", name}, .environment = environment});
  if (!ran || ran->exit != 0) return "";
  const std::string path = ran->out.substr(0, ran->out.find('\n'));
  return is_executable_file(path) ? path : "";
}

/// True if the spelling of the version is unambiguous.
bool is_plain_version(const std::string& word) {
  return !word.empty() && word[0] != '-' && word.find("..") == std::string::npos &&
         word.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_:") ==
             std::string::npos;
}

}  // namespace

std::string behind_shim(const std::string& path, const std::map<std::string, std::string>& environment) {
  const std::string name = name_of(path);
  const auto found = environment.find("PATH");
  const std::string search = found == environment.end() ? "" : found->second;
  if (name != "rustup" && name_of(real_path(path)) == "rustup") return answer_of(real_path(path), name, environment);
  const std::string folder = parent_of(path);
  if (name_of(folder) != "shims") return path;
  for (const char* manager : shim_managers) {
    if (parent_of(folder).find(manager) == std::string::npos) continue;
    std::string program = parent_of(folder) + "/bin/" + manager;
    if (!is_executable_file(program)) program = find_on_path(manager, search);
    return program.empty() ? "" : answer_of(program, name, environment);
  }
  return path;
}

std::map<std::string, std::string> asking_environment(const std::map<std::string, std::string>& own,
                                                      const std::string& workspace) {
  std::map<std::string, std::string> environment;
  for (const char* name : wanted)
    if (const auto found = own.find(name); found != own.end()) environment.insert(*found);
  for (const auto& [name, value] : own)
    for (const char* family : wanted_families)
      if (name.starts_with(family)) environment.emplace(name, value);
  environment.try_emplace("LANG", "C.UTF-8");
  if (!environment.contains("PYENV_VERSION")) {
    std::ifstream file(workspace + "/.python-version");
    std::string chosen;
    for (std::string word; file >> word && is_plain_version(word);) chosen += (chosen.empty() ? "" : ":") + word;
    if (!chosen.empty()) environment["PYENV_VERSION"] = chosen;
  }
  return environment;
}

}  // namespace executors

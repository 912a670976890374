#include "executors/toolchain/program_queries.h"

#include <fstream>

#include "embedded/toolchain_queries.h"
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

constexpr std::size_t most_libraries = 5000;
/// On a busy machine, or from a slow disk, the first start of an interpreter takes long.
constexpr std::chrono::minutes longest_start{2};

std::string value_of(const std::string& text, const std::string& key) {
  const std::string mark = "etude:" + key + "=";
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  return text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
}

/// The values of every line with this key.
std::vector<std::string> values_of(const std::string& text, const std::string& key) {
  std::vector<std::string> values;
  const std::string mark = "etude:" + key + "=";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    at += mark.size();
    values.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return values;
}

std::map<std::string, std::string> libraries_in(const std::string& text) {
  std::map<std::string, std::string> libraries;
  for (const std::string& line : values_of(text, "library")) {
    const std::size_t equals = line.find("==");
    if (equals != std::string::npos && libraries.size() < most_libraries)
      libraries.emplace(line.substr(0, equals), line.substr(equals + 2));
  }
  return libraries;
}

}  // namespace

std::string behind_shim(const std::string& path, const std::map<std::string, std::string>& environment) {
  const std::string name = name_of(path);
  if (name != "rustup" && name_of(real_path(path)) == "rustup") return answer_of(real_path(path), name, environment);
  const std::string folder = parent_of(path);
  if (name_of(folder) != "shims") return path;
  for (const char* manager : shim_managers) {
    if (parent_of(folder).find(manager) == std::string::npos) continue;
    std::string program = parent_of(folder) + "/bin/" + manager;
    if (!is_executable_file(program)) program = find_on_path(manager, programs::variable(environment, "PATH"));
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

kernel::Result<Python> ask_python(const std::string& program, const std::map<std::string, std::string>& environment,
                                  const std::vector<std::string>& before) {
  std::vector<std::string> command = before;
  command.insert(command.end(), {program, "-B", "-c", std::string(embedded::toolchain_queries("python.py"))});
  const auto ran =
      programs::run_program({.argv = std::move(command), .environment = environment, .limit = longest_start});
  const std::string out = ran ? ran->out : "", err = ran ? ran->err : "";
  Python python;
  python.executable = value_of(out, "executable");
  python.prefix = value_of(out, "prefix");
  python.base_prefix = value_of(out, "base_prefix");
  python.version = value_of(out, "version");
  if (!ran || ran->exit != 0 || python.executable.empty() || python.prefix.empty()) {
    const std::string said = err.substr(0, err.find('\n'));
    return kernel::Problem{"",
                           0,
                           program,
                           "does not answer as a Python: " + (said.empty() ? programs::why_no_exit(ran) : said),
                           "make sure that it starts, or name another interpreter",
                           true};
  }
  python.libraries = libraries_in(out);
  python.folders = values_of(out, "folder");
  if (programs::is_folder(value_of(out, "user_site"))) {
    python.user_site = value_of(out, "user_site");
    python.user_base = value_of(out, "user_base");
  }
  return python;
}

bool is_python_name(const std::string& name) {
  for (const std::string stem : {"python", "pypy"})
    if (name.starts_with(stem) && name.find_first_not_of("0123456789.", stem.size()) == std::string::npos) return true;
  return false;
}

}  // namespace executors

#include "executors/toolchain/resolver.h"

#include <algorithm>
#include <sstream>

#include "executors/devices/machine.h"
#include "executors/toolchain/command_words.h"
#include "kernel/domain/image_root.h"

namespace executors {

using kernel::Problem;
using programs::name_of;
using programs::parent_of;
using programs::variable;

namespace {

constexpr const char* known_environments =
    "use system, venv:PATH, uv, conda:NAME, module:NAME, apptainer:PATH or {activate: LINES}";
constexpr const char* system_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

}  // namespace

std::string EnvironmentResolver::without_trailing_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool EnvironmentResolver::lies_in(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

/// Paths with those below the workspace relative to it, since a job starts in a copy of it; relative ones stay.
std::string EnvironmentResolver::seen_from_copy(const std::string& paths, const std::string& workspace) {
  std::string seen;
  std::istringstream all(paths);
  for (std::string path; std::getline(all, path, ':');) {
    path = without_trailing_slash(path);
    if (path == workspace) path = ".";
    if (lies_in(path, workspace)) path.erase(0, workspace.size() + 1);
    seen += (seen.empty() ? "" : ":") + path;
  }
  return seen;
}

Problem EnvironmentResolver::refused(const std::string& what, std::string why, std::string todo) {
  return {"", 0, what, std::move(why), std::move(todo)};
}

std::optional<Problem> EnvironmentResolver::add_all() {
  if (auto problem = use_environment()) return problem;
  for (const kernel::CommandTemplate& command : query_.commands)
    for (const std::string& word : program_words(command))
      if (auto problem = add_word(word)) return problem;
  return std::nullopt;
}

std::optional<Problem> EnvironmentResolver::use_environment() {
  const std::string& use = query_.environment.use;
  if (query_.environment.set.contains("PATH"))
    return refused("environment.set.PATH", "would hide which programs run", "choose them by `environment.use`");
  if (use.empty() || use == "system") return std::nullopt;
  if (query_.untrusted)
    return problem_of_use("`" + use + "` would start a program that a stranger chose",
                          "activate an environment of yours, so that its programs come first on PATH");
  if (names_image(use)) return use_image();
  if (use.starts_with("module:")) return use_modules();
  if (use.starts_with("activate:")) return use_lines(use.substr(9));
  const auto named = named_environment_of(query_, own_);
  if (!named) return named.problem();
  if (!*named) return problem_of_use("`" + use + "` is not available yet", known_environments);
  if (use == "uv")
    if (auto stale = check_uv(query_, own_)) return stale;
  record_.programs.push_back((*named)->record);
  return use.starts_with("conda:") ? use_conda(**named) : use_venv(**named);
}

std::vector<Problem> EnvironmentResolver::missing() {
  const std::string& use = query_.environment.use;
  if (names_image(use)) {
    const auto image = image_record(query_, own_);
    return image ? std::vector<Problem>() : std::vector{image.problem()};
  }
  const auto named = named_environment_of(query_, own_);
  if (!named) return {named.problem()};
  // What these offer is known only when they are activated.
  if (use.starts_with("conda:") || use.starts_with("module:") || use.starts_with("activate:")) return {};
  if (*named) put_first((*named)->folder);
  std::vector<Problem> all;
  for (const kernel::CommandTemplate& command : query_.commands)
    for (const std::string& word : program_words(command)) {
      if (word.find_first_of("{/~") != word.npos || !done_.insert(word).second) continue;
      if (programs::find_on_path(word, search_).empty()) all.push_back(not_on_path(word));
    }
  return all;
}

/// Puts its programs first.
void EnvironmentResolver::put_first(const std::string& folder) {
  search_ = folder + "/bin:" + search_;
  put_on_path(folder + "/bin");
}

std::optional<Problem> EnvironmentResolver::use_venv(const NamedEnvironment& found) {
  put_first(found.folder);
  record_.toolchain.variables["VIRTUAL_ENV"] = found.folder;
  return add_python("python", found.folder + "/bin/python");
}

std::optional<Problem> EnvironmentResolver::use_conda(const NamedEnvironment& found) {
  if (!show_folder(found.folder))
    return problem_of_use(found.folder + " cannot be shown to jobs", "move the environment to a folder of its own");
  put_first(found.folder);
  record_.toolchain.variables["CONDA_PREFIX"] = found.folder;
  record_.toolchain.variables["CONDA_DEFAULT_ENV"] = found.name;
  record_.libraries["conda"] = found.packages;
  const std::string lines = conda_lines(found.folder);
  if (lines.empty()) return std::nullopt;
  // Such scripts are written for a shell that goes on after a failure.
  const auto changed =
      activate({.lines = lines,
                .folder = query_.folder,
                .own = own_,
                .more = {{"CONDA_PREFIX", found.folder}, {"CONDA_DEFAULT_ENV", found.name}, {"PATH", search_}},
                .lenient = true});
  if (!changed) return changed.problem();
  adopt(*changed);
  return std::nullopt;
}

std::optional<Problem> EnvironmentResolver::use_image() {
  auto found = image_environment(query_, own_);
  if (!found) return found.problem();
  image_ = std::move(*found);
  const std::string path =
      absolute_place(query_.environment.use.substr(query_.environment.use.find(':') + 1), query_, own_);
  for (kernel::ProgramRecord& record : records_of(*image_, path)) record_.programs.push_back(std::move(record));
  if (auto labels = labels_of(*image_); !labels.empty()) record_.libraries["labels of the image"] = std::move(labels);
  for (const auto& [name, value] : image_->variables) record_.toolchain.variables[name] = value;
  // What a script of the job imports is recorded, too, if the command does not name its interpreter. One that does not
  // answer is a problem only for a command that names it.
  const bool there = !program_of_image(image_->files.folder, "python3", image_->path).empty();
  if (there && add_word("python3")) done_.erase("python3");
  return std::nullopt;
}

std::optional<Problem> EnvironmentResolver::use_modules() {
  const auto loaded =
      activate({.lines = module_lines(query_.environment.use), .folder = query_.folder, .own = own_, .modules = true});
  if (!loaded) return loaded.problem();
  adopt(*loaded);
  return std::nullopt;
}

std::optional<Problem> EnvironmentResolver::use_lines(const std::string& lines) {
  const auto changed = activate({.lines = lines,
                                 .folder = query_.folder,
                                 .own = own_,
                                 .modules = lines.find("module") != lines.npos || lines.find("ml ") != lines.npos});
  if (!changed) return changed.problem();
  record_.programs.push_back({"environment", "/bin/bash", "activated lines, changes sha256:" + digest_of(*changed)});
  adopt(*changed);
  return std::nullopt;
}

/// Takes over what an activation changed: jobs get the same variables, and see the folders that these name.
void EnvironmentResolver::adopt(const Activation& changed) {
  for (const auto& [name, value] : changed.variables) {
    record_.toolchain.variables[name] = name == "PYTHONPATH" ? seen_from_copy(value, query_.workspace) : value;
    asking_[name] = value;
    for (const std::string& place : programs::split_path(value)) show_part(place);
  }
  std::string search;
  for (const std::string& entry : changed.path) {
    const bool installed = name_of(entry) == "bin" || name_of(entry) == "sbin";
    show_part(installed ? parent_of(entry) : entry);
    if (visible_.reaches(entry)) put_on_path(entry);
    search += entry + ":";
  }
  search_ = search + search_;
  asking_["PATH"] = search_;
  for (kernel::ProgramRecord& module : module_records(changed)) record_.programs.push_back(std::move(module));
  if (auto cuda = cuda_toolkit(record_.toolchain.variables)) record_.programs.push_back(std::move(*cuda));
}

/// Shows a file or a folder that an environment names, unless it is a part of the workspace, of which jobs have a copy.
void EnvironmentResolver::show_part(const std::string& place) {
  const std::string part = without_trailing_slash(place);
  const bool environment = programs::is_file(part + "/pyvenv.cfg") || programs::is_folder(part + "/conda-meta");
  if (!environment && (lies_in(part, query_.workspace) || lies_in(query_.workspace, part))) return;
  if (programs::is_folder(part))
    show_folder(part);
  else if (programs::is_file(part) && may_show(parent_of(part), home_))
    visible_.add(part);
}

/// Shows the folders of LD_LIBRARY_PATH, if the study passes it on.
void EnvironmentResolver::pass_libraries() {
  const auto& pass = query_.environment.pass;
  if (std::ranges::find(pass, "LD_LIBRARY_PATH") == pass.end()) return;
  for (const std::string& entry : programs::split_path(variable(own_, "LD_LIBRARY_PATH")))
    if (programs::is_folder(entry)) show_folder(without_trailing_slash(entry));
}

kernel::Result<kernel::EnvironmentRecord> EnvironmentResolver::finish() {
  if (image_) {
    record_.toolchain.path = image_->path;
    record_.toolchain.prefixes = {kernel::image_entry(image_->files.place)};
  } else {
    pass_libraries();
    for (const std::string& entry : programs::split_path(search_))
      if (Visible::is_system(entry)) put_on_path(entry);
    for (const std::string& entry : programs::split_path(system_path)) put_on_path(entry);
    if (auto problem = check_same_inside()) return *problem;
    record_.toolchain.prefixes.assign(visible_.added().begin(), visible_.added().end());
  }
  record_.machine = machine_facts();
  record_.passed = passed_on(own_, query_.environment.pass);
  return std::move(record_);
}

}  // namespace executors

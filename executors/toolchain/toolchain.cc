#include "executors/toolchain/toolchain.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <unistd.h>

#include "executors/devices/machine.h"
#include "executors/image/image_paths.h"
#include "executors/sandbox/sandbox_view.h"
#include "executors/toolchain/activation.h"
#include "executors/toolchain/image_environment.h"
#include "executors/toolchain/named_environment.h"
#include "executors/toolchain/program_queries.h"
#include "kernel/domain/image_root.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace executors {

using programs::is_executable_file;
using programs::name_of;
using programs::parent_of;
using programs::real_path;
using programs::variable;

namespace {

using kernel::Problem;

constexpr const char* known_environments =
    "use system, venv:PATH, uv, conda:NAME, module:NAME, apptainer:PATH or {activate: LINES}";
constexpr const char* system_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Programs that answer `--version` with one line and do nothing else.
const std::set<std::string> versioned = {"bash", "c++",  "cc",      "clang", "clang++", "cmake", "g++",  "gcc",
                                         "go",   "java", "julia",   "make",  "mpirun",  "node",  "nvcc", "octave",
                                         "perl", "R",    "Rscript", "ruby",  "rustc",   "cargo"};

std::string without_trailing_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// The words after `#!`; empty for other files.
std::vector<std::string> shebang(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char mark[2] = {};
  if (!file.read(mark, 2) || mark[0] != '#' || mark[1] != '!') return {};
  std::string line(400, '\0');
  file.getline(line.data(), static_cast<std::streamsize>(line.size()));
  std::istringstream words(line.c_str());
  std::vector<std::string> found;
  for (std::string word; words >> word;) found.push_back(word);
  return found;
}

bool lies_in(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

/// Paths with those below the workspace relative to it, since a job starts in a copy of it; relative ones stay.
std::string seen_from_copy(const std::string& paths, const std::string& workspace) {
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

Problem refused(const std::string& what, std::string why, std::string todo) {
  return {"", 0, what, std::move(why), std::move(todo)};
}

/// Collects what one study's programs need. Each `add` makes a program the same inside, or returns why it cannot be.
class Resolver {
 public:
  Resolver(const EnvironmentQuery& query, const std::map<std::string, std::string>& own)
      : query_(query),
        own_(own),
        asking_(asking_environment(own, query.workspace)),
        home_(variable(own, "HOME")),
        search_(variable(own, "PATH")) {}

  /// Adds the environment and every program of the command.
  std::optional<Problem> add_all();
  std::vector<Problem> missing();
  kernel::Result<kernel::EnvironmentRecord> finish();

 private:
  std::optional<Problem> use_environment();
  std::optional<Problem> add_word(const std::string& word);
  std::optional<Problem> use_venv(const NamedEnvironment&);
  std::optional<Problem> use_conda(const NamedEnvironment&);
  std::optional<Problem> use_image();
  std::optional<Problem> use_modules();
  std::optional<Problem> use_lines(const std::string& lines);
  void put_first(const std::string& folder);
  void adopt(const Activation&);
  void show_part(const std::string& place);
  Problem not_on_path(const std::string& name) const;
  std::optional<Problem> add_name(const std::string& name);
  std::optional<Problem> add_path(const std::string& path);
  bool is_the_readers(const std::string& path) const;
  std::optional<Problem> add_program(const std::string& name, const std::string& path);
  std::optional<Problem> add_python(const std::string& name, const std::string& path);
  std::optional<Problem> add_interpreter(const std::string& script);
  std::optional<Problem> show_python(const std::string& name, const Python&);
  void show_linked_code(const Python&);
  void show_program(const std::string& path);
  bool show_folder(const std::string& folder);
  void put_on_path(const std::string& folder);
  void pass_libraries();
  std::optional<Problem> check_same_inside() const;
  std::string version_of(const std::string& path) const;

  const EnvironmentQuery& query_;
  const std::map<std::string, std::string>& own_;
  std::map<std::string, std::string> asking_;
  const std::string home_;
  std::string search_;
  Visible visible_;
  std::optional<ImageEnvironment> image_;  ///< Has all programs, if the study names an image.
  kernel::EnvironmentRecord record_;
  std::map<std::string, std::string> expected_;  ///< Program name → the real file that it must be inside.
  std::set<std::string> done_;
};

std::optional<Problem> Resolver::add_all() {
  if (auto problem = use_environment()) return problem;
  for (const kernel::CommandTemplate& command : query_.commands)
    for (const std::string& word : program_words(command))
      if (auto problem = add_word(word)) return problem;
  return std::nullopt;
}

std::optional<Problem> Resolver::use_environment() {
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

std::vector<Problem> Resolver::missing() {
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
void Resolver::put_first(const std::string& folder) {
  search_ = folder + "/bin:" + search_;
  put_on_path(folder + "/bin");
}

std::optional<Problem> Resolver::use_venv(const NamedEnvironment& found) {
  put_first(found.folder);
  record_.toolchain.variables["VIRTUAL_ENV"] = found.folder;
  return add_python("python", found.folder + "/bin/python");
}

std::optional<Problem> Resolver::use_conda(const NamedEnvironment& found) {
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

std::optional<Problem> Resolver::use_image() {
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

std::optional<Problem> Resolver::use_modules() {
  const auto loaded =
      activate({.lines = module_lines(query_.environment.use), .folder = query_.folder, .own = own_, .modules = true});
  if (!loaded) return loaded.problem();
  adopt(*loaded);
  return std::nullopt;
}

std::optional<Problem> Resolver::use_lines(const std::string& lines) {
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
void Resolver::adopt(const Activation& changed) {
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
void Resolver::show_part(const std::string& place) {
  const std::string part = without_trailing_slash(place);
  const bool environment = programs::is_file(part + "/pyvenv.cfg") || programs::is_folder(part + "/conda-meta");
  if (!environment && (lies_in(part, query_.workspace) || lies_in(query_.workspace, part))) return;
  if (programs::is_folder(part))
    show_folder(part);
  else if (programs::is_file(part) && may_show(parent_of(part), home_))
    visible_.add(part);
}

std::optional<Problem> Resolver::add_word(const std::string& word) {
  const std::size_t open = word.find('{');
  if (open != std::string::npos) {
    const std::size_t close = word.find('}', open);
    const std::string name = word.substr(open + 1, close - open - 1);
    const auto values = query_.values.find(name);
    if (values == query_.values.end() || close == std::string::npos) {
      // The job looks up a path itself; a bare name could be another program there without notice.
      if (word.find('/') != std::string::npos) return std::nullopt;
      return refused("run", "which program `" + word + "` is cannot be known beforehand", "name it as it is called");
    }
    for (const std::string& value : values->second)
      if (auto problem = add_word(word.substr(0, open) + value + word.substr(close + 1))) return problem;
    return std::nullopt;
  }
  if (!done_.insert(word).second) return std::nullopt;
  if (word.starts_with("~"))
    return refused("run", "`" + word + "`: a job's `~` is another folder", "write " + home_ + "/… in full");
  return word.find('/') == std::string::npos ? add_name(word) : add_path(word);
}

std::optional<Problem> Resolver::add_name(const std::string& name) {
  if (image_) return add_program_of(*image_, name, record_);
  const std::string path = programs::find_on_path(name, search_);
  return path.empty() ? not_on_path(name) : add_program(name, path);
}

Problem Resolver::not_on_path(const std::string& name) const {
  const bool here = is_executable_file(query_.workspace + "/" + name);
  return refused("run", "`" + name + "` is not on PATH",
                 here ? "write ./" + name + " for the workspace's own" : "install it, or write the path to it");
}

std::optional<Problem> Resolver::add_path(const std::string& path) {
  if (path.starts_with("/")) {
    if (image_) return add_program_of(*image_, path, record_);
    if (query_.untrusted && !is_the_readers(path))
      return refused("run", "`" + path + "` is neither the system's nor on your PATH, and a stranger asks for it",
                     "look at it, and put its folder on PATH if you trust it");
    if (is_executable_file(path)) return add_program("", path);
    return refused("run", "`" + path + "` is not an executable file", "check the path");
  }
  // A file of the workspace is copied with it; a file that the job builds later cannot be checked now.
  return add_interpreter(query_.workspace + "/" + path);
}

bool Resolver::is_the_readers(const std::string& path) const {
  const std::vector<std::string> folders = programs::split_path(search_);
  const bool on_path = std::ranges::find(folders, parent_of(path)) != folders.end();
  return on_path || (Visible::is_system(path) && Visible::is_system(real_path(path)));
}

/// `name` is empty for programs given by their path.
std::optional<Problem> Resolver::add_program(const std::string& name, const std::string& path) {
  if (is_python_name(name_of(path))) return add_python(name, path);
  const std::string program = behind_shim(path, asking_);
  if (program.empty())
    return refused("run", "`" + path + "` does not say which program it stands for",
                   "write the path to the program itself");
  if (program != path && name.empty()) {
    return refused("run", "`" + path + "` is a version manager's shim and does not work in a sandbox",
                   "write `" + name_of(path) + "` or " + program);
  }
  if (is_python_name(name_of(program))) return add_python(name, program);
  if (auto problem = add_interpreter(program)) return problem;
  show_program(program);
  if (!visible_.reaches(program))
    return refused("run", "`" + path + "` leads to " + real_path(program) + ", which jobs cannot be shown",
                   "install it in a folder of its own, outside your home's hidden folders");
  if (!name.empty()) {
    if (name_of(program) != name)
      return refused("run", "`" + name + "` is " + program + " under another name", "write the path to it");
    if (!Visible::is_system(program)) put_on_path(parent_of(program));
    expected_[name] = real_path(program);
  }
  record_.programs.push_back({name.empty() ? path : name, real_path(program), version_of(program)});
  return std::nullopt;
}

std::optional<Problem> Resolver::add_interpreter(const std::string& script) {
  const std::vector<std::string> words = shebang(script);
  if (words.empty()) return std::nullopt;
  std::string interpreter = words[0];
  if (name_of(interpreter) == "env") {
    const auto named = std::find_if(words.begin() + 1, words.end(), [](const std::string& w) {
      return !w.starts_with("-") && w.find('=') == std::string::npos;
    });
    if (named == words.end()) return std::nullopt;
    interpreter = *named;
  }
  auto problem = add_word(interpreter);
  if (problem) problem->why = name_of(script) + " needs it: " + problem->why;
  return problem;
}

std::optional<Problem> Resolver::add_python(const std::string& name, const std::string& path) {
  kernel::Result<Python> python = ask_python(path, asking_);
  if (!python) return python.problem();
  if (auto problem = show_python(name.empty() ? path : name, *python)) return problem;
  const std::string real = real_path(python->executable);
  if (name.empty()) {
    if (!visible_.reaches(path) || real_path(path) != real)
      return refused("run", "`" + path + "` starts " + python->executable + ", which is not the same inside a sandbox",
                     "write " + python->executable);
  } else {
    // It must lie under this name next to the interpreter that answered, or next to the target of its link.
    std::string folder;
    for (const std::string& place : {parent_of(python->executable), parent_of(real)})
      if (folder.empty() && real_path(place + "/" + name) == real && visible_.reaches(place + "/" + name))
        folder = place;
    if (folder.empty())
      return refused("run",
                     "`" + name + "` is " + path + " and starts " + python->executable +
                         ", which has no such name inside a sandbox",
                     "write " + python->executable + ", or use a virtual environment");
    if (!Visible::is_system(folder)) put_on_path(folder);
    expected_[name] = real;
  }
  if (!python->libraries.empty()) record_.libraries[name.empty() ? path : name] = python->libraries;
  record_.programs.push_back({name.empty() ? path : name, real, "Python " + python->version});
  return std::nullopt;
}

/// Shows where the Python imports from.
std::optional<Problem> Resolver::show_python(const std::string& name, const Python& python) {
  for (const std::string& prefix : {python.prefix, python.base_prefix})
    if (!show_folder(without_trailing_slash(prefix)))
      return refused("run", "`" + name + "` lives in " + prefix + ", which cannot be shown to jobs as a whole",
                     "use a Python with a folder of its own, or a virtual environment of one");
  // The executable of a virtual environment may lead elsewhere through links.
  if (!visible_.reaches(python.executable)) show_program(python.executable);
  if (!python.user_site.empty() && may_show(python.user_site, home_)) {
    visible_.add(python.user_site);
    record_.toolchain.variables["PYTHONUSERBASE"] = python.user_base;
  }
  if (!query_.untrusted) show_linked_code(python);
  return std::nullopt;
}

/// Packages that are installed as links to their source. Of the workspace jobs have a copy, which must come first.
void Resolver::show_linked_code(const Python& python) {
  std::string& path = record_.toolchain.variables["PYTHONPATH"];
  for (const std::string& folder : python.folders) {
    if (visible_.reaches(folder)) continue;
    if (!lies_in(folder, query_.workspace))
      show_part(folder);
    else if (const std::string own = seen_from_copy(folder, query_.workspace);
             (":" + path + ":").find(":" + own + ":") == path.npos)
      path += (path.empty() ? "" : ":") + own;
  }
  if (path.empty()) record_.toolchain.variables.erase("PYTHONPATH");
}

/// Shows a program's installation folder if it has its own, else the file alone; the same for link targets.
void Resolver::show_program(const std::string& path) {
  for (const std::string& file : {path, real_path(path)}) {
    if (Visible::is_system(file)) continue;
    const std::string folder = parent_of(file);
    const bool installed = name_of(folder) == "bin" || name_of(folder) == "sbin";
    if (!installed || !show_folder(parent_of(folder))) visible_.add(file);
  }
}

bool Resolver::show_folder(const std::string& folder) {
  for (const std::string& place : {folder, real_path(folder)}) {
    if (Visible::is_system(place)) continue;
    if (!may_show(place, home_)) return false;
    visible_.add(place);
  }
  return true;
}

void Resolver::put_on_path(const std::string& folder) {
  std::vector<std::string>& path = record_.toolchain.path;
  if (std::ranges::find(path, folder) == path.end()) path.push_back(folder);
}

/// Shows the folders of LD_LIBRARY_PATH, if the study passes it on.
void Resolver::pass_libraries() {
  const auto& pass = query_.environment.pass;
  if (std::ranges::find(pass, "LD_LIBRARY_PATH") == pass.end()) return;
  for (const std::string& entry : programs::split_path(variable(own_, "LD_LIBRARY_PATH")))
    if (programs::is_folder(entry)) show_folder(without_trailing_slash(entry));
}

std::optional<Problem> Resolver::check_same_inside() const {
  for (const auto& [name, real] : expected_) {
    std::string inside;
    for (const std::string& folder : record_.toolchain.path) {
      const std::string candidate = folder + "/" + name;
      if (!is_executable_file(candidate) || !visible_.reaches(candidate)) continue;
      inside = real_path(candidate);
      break;
    }
    if (inside != real)
      return refused(
          "run",
          "`" + name + "` is " + real + ", but would be " + (inside.empty() ? "missing" : inside) + " in a sandbox",
          "write " + real + " in full");
  }
  return std::nullopt;
}

std::string Resolver::version_of(const std::string& path) const {
  if (!versioned.contains(name_of(path))) return "";
  const auto ran = programs::run_program({.argv = {path, "--version"}, .environment = asking_});
  return ran && ran->exit == 0 ? ran->out.substr(0, std::min<std::size_t>(ran->out.find('\n'), 120)) : "";
}

kernel::Result<kernel::EnvironmentRecord> Resolver::finish() {
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

}  // namespace

kernel::Result<kernel::EnvironmentRecord> resolve_environment(const EnvironmentQuery& query, const Variables& own) {
  Resolver resolver(query, own);
  if (auto problem = resolver.add_all()) return *problem;
  return resolver.finish();
}

std::optional<kernel::ProgramRecord> named_environment(const EnvironmentQuery& query, const Variables& own) {
  const std::string& use = query.environment.use;
  if (use.starts_with("module:")) return kernel::ProgramRecord{"environment", "", "modules " + use.substr(7)};
  if (use.starts_with("activate:")) return kernel::ProgramRecord{"environment", "", "activated lines"};
  if (names_image(use)) {
    auto image = image_record(query, own);
    return image ? std::optional(std::move(*image)) : std::nullopt;
  }
  const auto named = named_environment_of(query, own);
  if (!named || !*named) return std::nullopt;
  return (*named)->record;
}

std::vector<Problem> missing_programs(const EnvironmentQuery& query, const Variables& own) {
  return Resolver(query, own).missing();
}

}  // namespace executors

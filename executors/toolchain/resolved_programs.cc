#include "executors/toolchain/resolver.h"

// Which program each word of a command is, what it needs to be seen inside, and its version.

#include <algorithm>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "executors/image/image_paths.h"
#include "executors/toolchain/command_words.h"
#include "programs/run_program.h"

namespace executors {

using kernel::Problem;
using programs::is_executable_file;
using programs::name_of;
using programs::parent_of;
using programs::real_path;

namespace {

/// Programs that answer `--version` with one line and do nothing else.
const std::set<std::string> versioned = {"bash", "c++",  "cc",      "clang", "clang++", "cmake", "g++",  "gcc",
                                         "go",   "java", "julia",   "make",  "mpirun",  "node",  "nvcc", "octave",
                                         "perl", "R",    "Rscript", "ruby",  "rustc",   "cargo"};

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

}  // namespace

std::optional<Problem> EnvironmentResolver::add_word(const std::string& word) {
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

std::optional<Problem> EnvironmentResolver::add_name(const std::string& name) {
  if (image_) return add_program_of(*image_, name, record_);
  const std::string path = programs::find_on_path(name, search_);
  return path.empty() ? not_on_path(name) : add_program(name, path);
}

Problem EnvironmentResolver::not_on_path(const std::string& name) const {
  const bool here = is_executable_file(query_.workspace + "/" + name);
  return refused("run", "`" + name + "` is not on PATH",
                 here ? "write ./" + name + " for the workspace's own" : "install it, or write the path to it");
}

std::optional<Problem> EnvironmentResolver::add_path(const std::string& path) {
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

bool EnvironmentResolver::is_the_readers(const std::string& path) const {
  const std::vector<std::string> folders = programs::split_path(search_);
  const bool on_path = std::ranges::find(folders, parent_of(path)) != folders.end();
  return on_path || (Visible::is_system(path) && Visible::is_system(real_path(path)));
}

/// `name` is empty for programs given by their path.
std::optional<Problem> EnvironmentResolver::add_program(const std::string& name, const std::string& path) {
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

std::optional<Problem> EnvironmentResolver::add_interpreter(const std::string& script) {
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

std::optional<Problem> EnvironmentResolver::add_python(const std::string& name, const std::string& path) {
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
std::optional<Problem> EnvironmentResolver::show_python(const std::string& name, const Python& python) {
  for (const std::string& prefix : {python.prefix, python.base_prefix})
    if (!show_folder(without_trailing_slash(prefix))) {
      for (const char* replaced : {"/dev/", "/proc/", "/sys/"})
        if (prefix.starts_with(replaced))
          return refused("run",
                         "`" + name + "` lives in " + prefix + ", and a sandbox has a " + replaced + " of its own",
                         "move it to another folder");
      return refused("run", "`" + name + "` lives in " + prefix + ", which cannot be shown to jobs as a whole",
                     "use a Python with a folder of its own, or a virtual environment of one");
    }
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
void EnvironmentResolver::show_linked_code(const Python& python) {
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
void EnvironmentResolver::show_program(const std::string& path) {
  for (const std::string& file : {path, real_path(path)}) {
    if (Visible::is_system(file)) continue;
    const std::string folder = parent_of(file);
    const bool installed = name_of(folder) == "bin" || name_of(folder) == "sbin";
    if (!installed || !show_folder(parent_of(folder))) visible_.add(file);
  }
}

bool EnvironmentResolver::show_folder(const std::string& folder) {
  for (const std::string& place : {folder, real_path(folder)}) {
    if (Visible::is_system(place)) continue;
    if (!may_show(place, home_)) return false;
    visible_.add(place);
  }
  return true;
}

void EnvironmentResolver::put_on_path(const std::string& folder) {
  std::vector<std::string>& path = record_.toolchain.path;
  if (std::ranges::find(path, folder) == path.end()) path.push_back(folder);
}

std::optional<Problem> EnvironmentResolver::check_same_inside() const {
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

std::string EnvironmentResolver::version_of(const std::string& path) const {
  if (!versioned.contains(name_of(path))) return "";
  const auto ran = programs::run_program({.argv = {path, "--version"}, .environment = asking_});
  return ran && ran->exit == 0 ? ran->out.substr(0, std::min<std::size_t>(ran->out.find('\n'), 120)) : "";
}

}  // namespace executors

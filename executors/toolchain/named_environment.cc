#include "executors/toolchain/named_environment.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/json_scan.h"
#include "base/shell_text.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace executors {
namespace {

namespace fs = std::filesystem;
using kernel::Problem;
using programs::parent_of;
using programs::variable;
using Packages = std::map<std::string, std::string>;

constexpr const char* recorded_as = "environment";
constexpr std::size_t most_packages = 5000;
constexpr std::chrono::minutes longest_check{2};

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Names of the folder's entries that end so, without the ending, in order.
std::vector<std::string> entries_ending(const std::string& folder, std::string_view ending) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (const std::string name = entry->path().filename(); name.ends_with(ending) && names.size() < most_packages)
      names.push_back(name.substr(0, name.size() - ending.size()));
  std::ranges::sort(names);
  return names;
}

/// NAME-VERSION.dist-info of every site-packages.
Packages python_packages(const std::string& folder) {
  Packages packages;
  std::error_code error;
  for (const char* lib : {"/lib", "/lib64"})
    for (fs::directory_iterator entry(folder + lib, error), end; !error && entry != end; entry.increment(error))
      for (const std::string& name : entries_ending(entry->path().string() + "/site-packages", ".dist-info"))
        if (const std::size_t dash = name.find('-'); dash != name.npos)
          packages.emplace(name.substr(0, dash), name.substr(dash + 1));
  return packages;
}

/// conda-meta/NAME-VERSION-BUILD.json.
Packages conda_packages(const std::string& folder) {
  Packages packages;
  for (const std::string& name : entries_ending(folder + "/conda-meta", ".json")) {
    const std::size_t build = name.rfind('-');
    const std::size_t version = build == name.npos || build == 0 ? name.npos : name.rfind('-', build - 1);
    if (version != name.npos)
      packages.emplace(name.substr(0, version),
                       name.substr(version + 1, build - version - 1) + " " + name.substr(build + 1));
  }
  return packages;
}

std::string listed(const Packages& packages) {
  std::string text;
  for (const auto& [name, version] : packages) text += name + "==" + version + "\n";
  return fmt::format("{} {}, sha256:{}", packages.size(), packages.size() == 1 ? "package" : "packages",
                     kernel::sha256_hex(text));
}

kernel::Result<NamedEnvironment> virtual_environment(const std::string& folder, const std::string& todo) {
  if (!programs::is_executable_file(folder + "/bin/python"))
    return problem_of_use("there is no virtual environment at " + folder, todo);
  NamedEnvironment found{folder, "", {recorded_as, folder, ""}, python_packages(folder)};
  found.record.version = "virtual environment, " + listed(found.packages);
  return found;
}

kernel::Result<NamedEnvironment> uv_environment(const EnvironmentQuery& query, const Variables& own) {
  for (const auto& [file, todo] : {std::pair{"pyproject.toml", "make a project with `uv init`, or use `venv:PATH`"},
                                   std::pair{"uv.lock", "run `uv lock` there"}})
    if (std::error_code error; !fs::is_regular_file(query.workspace + "/" + file, error))
      return problem_of_use(fmt::format("there is no {} in {}", file, query.workspace), todo);
  auto found =
      virtual_environment(query.workspace + "/.venv", "create it: run `uv sync --frozen` in " + query.workspace);
  if (!found) return found;
  if (programs::find_on_path("uv", variable(own, "PATH")).empty())
    return problem_of_use("`uv` is not on PATH, so its lock file cannot be checked",
                          "install it (pip install uv), or name the folder: `use: venv:.venv`", true);
  found->record.version = "uv, uv.lock sha256:" + kernel::sha256_hex(bytes_of(query.workspace + "/uv.lock"));
  return found;
}

/// Folders of which each may be the environment; `installed`: whether this machine has any conda.
std::vector<std::string> conda_candidates(const std::string& name, const Variables& own, bool& installed) {
  const std::string home = variable(own, "HOME");
  std::vector<std::string> roots;
  for (const char* program : {"CONDA_EXE", "MAMBA_EXE"})
    if (const std::string path = variable(own, program); !path.empty())
      roots.push_back(parent_of(parent_of(programs::real_path(path))));
  for (const char* program : {"conda", "mamba", "micromamba"})
    if (const std::string path = programs::find_on_path(program, variable(own, "PATH")); !path.empty())
      roots.push_back(parent_of(parent_of(programs::real_path(path))));
  installed = !roots.empty();
  if (const std::string root = variable(own, "MAMBA_ROOT_PREFIX"); !root.empty()) roots.push_back(root);
  for (const char* usual :
       {"/miniconda3", "/miniforge3", "/mambaforge", "/anaconda3", "/micromamba", "/.local/share/mamba", "/.conda"})
    roots.push_back(home + usual);
  std::vector<std::string> candidates;
  for (const char* folders : {"CONDA_ENVS_PATH", "CONDA_ENVS_DIRS"})
    for (const std::string& folder : programs::split_path(variable(own, folders)))
      candidates.push_back(folder + "/" + name);
  for (const std::string& root : roots) {
    installed = installed || programs::is_folder(root + "/conda-meta") || programs::is_folder(root + "/envs");
    candidates.push_back(name == "base" ? root : root + "/envs/" + name);
  }
  std::ifstream known(home + "/.conda/environments.txt");
  for (std::string line; std::getline(known, line);)
    if (programs::name_of(line) == name) candidates.push_back(line);
  return candidates;
}

kernel::Result<NamedEnvironment> conda_environment(const std::string& name, const EnvironmentQuery& query,
                                                   const Variables& own) {
  bool installed = true;
  const bool by_path = name.find('/') != name.npos;
  const std::vector<std::string> candidates =
      by_path ? std::vector{absolute_place(name, query, own)} : conda_candidates(name, own, installed);
  for (const std::string& folder : candidates) {
    if (!programs::is_folder(folder + "/conda-meta")) continue;
    NamedEnvironment found{folder, name, {recorded_as, folder, ""}, conda_packages(folder)};
    found.record.version = "conda, " + listed(found.packages);
    return found;
  }
  if (by_path)
    return problem_of_use("there is no conda environment at " + candidates[0],
                          "create it: conda create -p " + candidates[0]);
  if (!installed)
    return problem_of_use(
        "there is no conda here: no conda, mamba or micromamba on PATH, and none of their folders at home",
        "install one of them, or give the environment's folder: `conda:/PATH`", true);
  return problem_of_use("there is no conda environment `" + name + "`", "create it: conda create -n " + name);
}

}  // namespace

Problem problem_of_use(std::string why, std::string todo, bool machine) {
  return {"", 0, "environment.use", std::move(why), std::move(todo), machine};
}

std::string absolute_place(std::string path, const EnvironmentQuery& query, const Variables& own) {
  if (path.starts_with("~/")) path = variable(own, "HOME") + path.substr(1);
  if (!path.starts_with("/")) path = query.folder + "/" + path;
  path = fs::path(path).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

kernel::Result<std::optional<NamedEnvironment>> named_environment_of(const EnvironmentQuery& query,
                                                                     const Variables& own) {
  const std::string& use = query.environment.use;
  const auto find = [&]() -> kernel::Result<NamedEnvironment> {
    if (use == "uv") return uv_environment(query, own);
    if (use.starts_with("conda:")) return conda_environment(use.substr(6), query, own);
    return virtual_environment(absolute_place(use.substr(5), query, own),
                               "create it: python3 -m venv " + use.substr(5));
  };
  if (use != "uv" && !use.starts_with("conda:") && !use.starts_with("venv:")) return std::optional<NamedEnvironment>();
  auto found = find();
  if (!found) return found.problem();
  return std::optional(std::move(*found));
}

std::optional<Problem> check_uv(const EnvironmentQuery& query, const Variables& own) {
  const std::string uv = programs::find_on_path("uv", variable(own, "PATH"));
  Variables environment;
  for (const auto& [name, value] : own)
    if (name == "PATH" || name == "HOME" || name == "LANG" || name.starts_with("XDG_") || name.starts_with("UV_"))
      environment[name] = value;
  environment["UV_PROJECT_ENVIRONMENT"] = query.workspace + "/.venv";
  const auto ask = [&](std::vector<std::string> words, const std::string& why,
                       const std::string& todo) -> std::optional<Problem> {
    words.insert(words.begin(), uv);
    const auto ran = programs::run_program(
        {.argv = words, .environment = environment, .directory = query.workspace, .limit = longest_check});
    if (ran && ran->exit == 0) return std::nullopt;
    if (!ran || !ran->exit)
      return problem_of_use("`uv` does not answer: " + programs::why_no_exit(ran), "run it by hand", true);
    if (ran->err.find("unexpected argument") != std::string::npos)
      return problem_of_use("this `uv` is too old to check a project", "update it: pip install -U uv", true);
    std::istringstream lines(ran->err);
    std::string said;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("error: ") || line.starts_with("The lockfile")) said = ": " + line;
    return problem_of_use(why + said.substr(0, 300), todo);
  };
  if (auto stale = ask({"lock", "--check", "--offline"}, query.workspace + "/uv.lock does not fit pyproject.toml",
                       "run `uv lock` and `uv sync` there"))
    return stale;
  return ask({"sync", "--check", "--frozen", "--offline", "--inexact"},
             query.workspace + "/.venv does not have what uv.lock says", "run `uv sync --frozen` there");
}

std::string conda_lines(const std::string& folder) {
  std::string lines;
  // conda-meta/state: {"env_vars": {NAME: VALUE}}
  const std::string state = bytes_of(folder + "/conda-meta/state");
  kernel::JsonScan scan(state);
  if (scan.peek() == kernel::JsonScan::Kind::object) {
    scan.enter();
    for (std::string key; scan.next_key(key);) {
      if (key != "env_vars" || scan.peek() != kernel::JsonScan::Kind::object) {
        scan.skip();
        continue;
      }
      scan.enter();
      for (std::string name; scan.next_key(name);) {
        if (scan.peek() != kernel::JsonScan::Kind::string) {
          scan.skip();
          continue;
        }
        const std::string value = scan.string();
        const bool plain = std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
        if (!scan.failed() && plain) lines += fmt::format("export {}={}\n", name, kernel::ShellText().quoted(value));
      }
    }
  }
  for (const std::string& script : entries_ending(folder + "/etc/conda/activate.d", ".sh"))
    lines += fmt::format(". {}\n", kernel::ShellText().quoted(folder + "/etc/conda/activate.d/" + script + ".sh"));
  return lines;
}

std::string module_lines(const std::string& use) {
  std::string lines = "module load";
  std::istringstream names(use.substr(use.find(':') + 1));
  for (std::string name; names >> name;) lines += " " + kernel::ShellText().quoted(name);
  return lines;
}

std::optional<kernel::ProgramRecord> cuda_toolkit(const Variables& variables) {
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"}) {
    const std::string folder = variable(variables, name);
    const std::string text = folder.empty() ? "" : bytes_of(folder + "/version.json");
    // {"cuda": {"name": "CUDA SDK", "version": "12.2.1"}, …}
    const std::size_t cuda = text.find("\"cuda\""), key = text.find("\"version\"", cuda);
    const std::size_t open = text.find('"', text.find(':', key)), close = text.find('"', open + 1);
    if (cuda != text.npos && key != text.npos && open != text.npos && close != text.npos)
      return kernel::ProgramRecord{"CUDA", folder, text.substr(open + 1, std::min<std::size_t>(close - open - 1, 40))};
  }
  return std::nullopt;
}

}  // namespace executors

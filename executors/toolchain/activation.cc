#include "executors/toolchain/activation.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>

#include "base/digest.h"
#include "base/redact.h"
#include "base/secret_names.h"
#include "embedded/toolchain_queries.h"
#include "executors/toolchain/named_environment.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace executors {
namespace {

using kernel::Problem;
using Parts = std::vector<std::string>;

constexpr std::chrono::minutes longest{2};
constexpr std::size_t most_output = 4 << 20;

constexpr const char* passed_to_lines[] = {"PATH",    "HOME",       "LANG",        "USER",
                                           "LOGNAME", "MODULEPATH", "MODULESHOME", "MODULERCFILE"};
/// Variables of the shell, of modules and of conda that a job has no use for.
constexpr const char* kept_out[] = {"_",
                                    "SHLVL",
                                    "PWD",
                                    "OLDPWD",
                                    "PS1",
                                    "PS2",
                                    "PATH",
                                    "HOME",
                                    "USER",
                                    "LOGNAME",
                                    "SHELL",
                                    "TMPDIR",
                                    "TERM",
                                    "PROMPT_COMMAND",
                                    "LOADEDMODULES",
                                    "ENV",
                                    "BASH_ENV",
                                    "MODULEPATH",
                                    "MODULESHOME",
                                    "MODULERCFILE",
                                    "MANPATH",
                                    "CONDA_SHLVL",
                                    "_CE_M",
                                    "_CE_CONDA",
                                    "VIRTUAL_ENV_PROMPT",
                                    "FPATH",
                                    "CONDA_EXE",
                                    "MAMBA_EXE",
                                    "CONDA_PYTHON_EXE",
                                    "CONDA_PROMPT_MODIFIER",
                                    "CUDA_VISIBLE_DEVICES"};
constexpr const char* families_kept_out[] = {"BASH_FUNC_", "LMOD_",  "_LMFILES_",    "MODULES_",
                                             "__MODULES_", "__LMOD", "_ModuleTable", "ETUDE_"};

Parts parts_of(const std::string& text, char end) {
  Parts parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find(end, at), text.size());
    if (stop > at) parts.push_back(text.substr(at, stop - at));
    at = stop + 1;
  }
  return parts;
}

/// The variables behind this mark, up to the next mark.
std::optional<Variables> variables_behind(const Parts& parts, std::string_view mark) {
  const auto found = std::ranges::find(parts, mark);
  if (found == parts.end()) return std::nullopt;
  Variables variables;
  for (auto part = found + 1; part != parts.end() && !part->starts_with("etude:"); ++part)
    if (const std::size_t equals = part->find('='); equals != part->npos)
      variables[part->substr(0, equals)] = part->substr(equals + 1);
  return variables;
}

bool is_for_jobs(const std::string& name) {
  return std::ranges::find(kept_out, name) == std::end(kept_out) &&
         std::ranges::none_of(families_kept_out, [&](const char* family) { return name.starts_with(family); });
}

/// The line that names an error, or the last one.
std::string complaint_in(const std::string& text) {
  const Parts lines = parts_of(text, '\n');
  const auto error = std::ranges::find_if(lines, [](const std::string& l) { return l.find("ERROR") != l.npos; });
  const std::string line = error != lines.end() ? *error : lines.empty() ? "" : lines.back();
  const std::size_t start = line.find_first_not_of(" \t");
  return start == line.npos ? "" : line.substr(start, 200);
}

Variables environment_of(const ActivationRequest& request) {
  Variables environment;
  for (const auto& [name, value] : request.own)
    if (std::ranges::find(passed_to_lines, name) != std::end(passed_to_lines) || name.starts_with("LMOD_"))
      environment[name] = value;
  environment.try_emplace("LANG", "C.UTF-8");
  for (const auto& [name, value] : request.more) environment[name] = value;
  return environment;
}

std::optional<Problem> refusal_of_keys(const Variables& variables) {
  for (const auto& [name, value] : variables)
    if (looks_like_key(name, value))
      return problem_of_use("it sets `" + name + "`, which looks as if it held a key; keys never reach a job",
                            "use `activate`, with `unset " + name + "` as its last line");
  return std::nullopt;
}

}  // namespace

Variables variables_for_jobs(const Variables& all) {
  Variables found;
  for (const auto& [name, value] : all)
    if (is_for_jobs(name)) found[name] = value;
  return found;
}

bool looks_like_key(const std::string& name, const std::string& value) {
  return kernel::looks_like_secret(name) || kernel::Redactor()(value) != value;
}

kernel::Result<Activation> activate(const ActivationRequest& request) {
  const std::string bash = programs::find_on_path("bash", "/usr/bin:/bin:" + programs::variable(request.own, "PATH"));
  if (bash.empty()) return problem_of_use("there is no bash to run its lines", "install bash", true);
  const auto ran = programs::run_program(
      {.argv = {bash, "--noprofile", "--norc", "-c", std::string(embedded::toolchain_queries("activate.sh")),
                "activate", request.lines, request.modules ? "modules" : "", request.lenient ? "lenient" : ""},
       .environment = environment_of(request),
       .directory = request.folder,
       .limit = longest,
       .most_output = most_output});
  if (!ran || ran->timed_out)
    return problem_of_use("its lines did not run to their end: " + programs::why_no_exit(ran),
                          "run them in a shell of yours to see why", true);
  const std::string said = complaint_in(ran->err);
  const Parts parts = parts_of(ran->out, '\0');
  if (const auto failed = std::ranges::find(parts, "etude:failed"); failed != parts.end() && parts.end() - failed > 2) {
    if (std::ranges::find(parts, "etude:no-module") != parts.end())
      return problem_of_use("there is no command `module` on this machine",
                            "install Environment Modules or Lmod, or set MODULESHOME to where it is", true);
    const std::string command = failed[2] == "-" ? "its lines" : "`" + failed[2].substr(0, 200) + "`";
    return problem_of_use(command + " failed with status " + failed[1] + (said.empty() ? "" : ": " + said),
                          "run it in a shell of yours to see why");
  }
  const auto before = variables_behind(parts, "etude:before"), after = variables_behind(parts, "etude:after");
  if (!before || !after)
    return problem_of_use("its lines ended the shell" + (said.empty() ? "" : ": " + said),
                          "leave out `exit` and `exec`");

  Activation found;
  for (const auto& [name, value] : variables_for_jobs(*after))
    if (const auto old = before->find(name); old == before->end() || old->second != value)
      found.variables[name] = value;
  if (auto problem = refusal_of_keys(found.variables)) return std::move(*problem);
  const Parts old_path = programs::split_path(programs::variable(*before, "PATH"));
  for (const std::string& entry : programs::split_path(programs::variable(*after, "PATH")))
    if (std::ranges::find(old_path, entry) == old_path.end() &&
        std::ranges::find(found.path, entry) == found.path.end())
      found.path.push_back(entry);
  const Parts names = parts_of(programs::variable(*after, "LOADEDMODULES"), ':');
  const Parts files = parts_of(programs::variable(*after, "_LMFILES_"), ':');
  for (std::size_t i = 0; i < names.size(); ++i) found.modules.emplace_back(names[i], i < files.size() ? files[i] : "");
  return found;
}

std::string digest_of(const Activation& changed) {
  std::string all = "PATH";
  for (const std::string& entry : changed.path) all += ":" + entry;
  for (const auto& [name, value] : changed.variables) all += "\n" + name + "=" + value;
  return kernel::sha256_hex(all);
}

std::vector<kernel::ProgramRecord> module_records(const Activation& changed) {
  std::vector<kernel::ProgramRecord> records;
  for (const auto& [module, file] : changed.modules) {
    const std::size_t slash = module.find('/');
    records.push_back(
        {"module " + module.substr(0, slash), file, slash == module.npos ? "" : module.substr(slash + 1)});
  }
  return records;
}

}  // namespace executors

#include "apps/session/prepare/missing_scripts.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include "base/shell_text.h"
#include "prose/nearest.h"

namespace session {

namespace {

namespace fs = std::filesystem;

struct Interpreter {
  std::string_view name;
  std::vector<std::string_view> flags;  ///< Without an argument of their own.
  std::vector<std::string_view> endings;
};

const std::vector<Interpreter>& interpreters() {
  static const std::vector<Interpreter> known = {
      {"python", {"-u", "-B", "-S", "-s", "-E", "-I", "-O", "-OO", "-q", "-v"}, {".py", ".pyz"}},
      {"sh", {"-e", "-u", "-x", "-eu", "-ex", "-eux"}, {".sh"}},
      {"bash", {"-e", "-u", "-x", "-eu", "-ex", "-eux", "-l"}, {".sh", ".bash"}},
      {"Rscript", {"--vanilla", "--no-save", "--no-restore"}, {".R", ".r"}},
      {"julia", {"--startup-file=no"}, {".jl"}},
      {"node", {}, {".js", ".mjs", ".cjs"}},
      {"perl", {"-w"}, {".pl"}},
      {"ruby", {"-w"}, {".rb"}},
      {"lua", {}, {".lua"}}};
  return known;
}

/// "python" for `/usr/bin/python3.11`.
const Interpreter* interpreter_of(std::string_view program) {
  program.remove_prefix(program.rfind('/') + 1);
  if (program.starts_with("python")) program = program.substr(0, program.find_last_not_of("0123456789.") + 1);
  const auto found = std::ranges::find(interpreters(), program, &Interpreter::name);
  return found == interpreters().end() ? nullptr : &*found;
}

using Words = std::vector<std::string>;

/// The words of the simple commands that run one after the other, up to the first word that is not plain and the first
/// redirection, pipe, background job or alternative.
std::vector<Words> simple_commands(const std::string& text) {
  constexpr std::string_view blank = " \t\n", ends = ";&|<>()\n";
  std::vector<Words> commands(1);
  for (std::size_t at = text.find_first_not_of(blank); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\n;&|<>()", at), text.size());
    std::string word = text.substr(at, end - at);
    const bool continues = word == "\\" && end < text.size() && text[end] == '\n';
    if (!continues && !kernel::is_plain(word)) break;
    if (!continues) commands.back().push_back(std::move(word));
    at = std::min(text.find_first_not_of(continues ? blank : " \t", end), text.size());
    if (continues || at == text.size() || ends.find(text[at]) == ends.npos) continue;
    const bool in_turn = text[at] == ';' || text[at] == '\n' || text.compare(at, 2, "&&") == 0;
    if (!in_turn) break;
    commands.emplace_back();
    at = std::min(text.find_first_not_of(blank, at + (text[at] == '&' ? 2 : 1)), text.size());
  }
  return commands;
}

bool is_assignment(std::string_view word) {
  const std::size_t name = word.find('=');
  return name != word.npos && name > 0 && word.find_first_of("/.-:") > name;
}

/// `path` without `./`, if it lies in the workspace; else empty.
std::string below_workspace(std::string_view path) {
  const std::string normal = fs::path(path).lexically_normal().string();
  const bool is_folder = normal == "." || normal.ends_with('/');
  return is_folder || normal.starts_with('/') || normal.starts_with("..") ? "" : normal;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// The entry that was meant: one of this name in another folder, or the nearest path.
std::string meant(const std::string& script, const std::vector<std::string>& entries) {
  const auto same = [&](const std::string& entry) { return file_name(entry) == file_name(script); };
  const auto moved = std::ranges::find_if(entries, same);
  if (moved != entries.end()) return *moved;
  std::vector<std::string> alike;
  const std::string ending = fs::path(script).extension().string();
  std::ranges::copy_if(entries, std::back_inserter(alike),
                       [&](const std::string& entry) { return fs::path(entry).extension() == ending; });
  return prose::nearest(script, alike);
}

/// Whether it is there, or may be: below a link.
bool may_be_there(const std::string& script, const std::set<std::string>& entries) {
  for (std::size_t slash = script.find('/'); slash != script.npos; slash = script.find('/', slash + 1))
    if (entries.contains(script.substr(0, slash))) return true;
  return entries.contains(script);
}

/// Without what only says how the rest is started: `exec`, `uv run`.
std::span<const std::string> without_prefix(std::span<const std::string> words) {
  const std::set<std::string_view> starters = {"exec", "time", "nohup", "nice"}, runners = {"uv", "poetry", "pixi"};
  for (std::size_t taken = 1; !words.empty(); words = words.subspan(taken)) {
    taken = starters.contains(words[0])                                           ? 1
            : runners.contains(words[0]) && words.size() > 1 && words[1] == "run" ? 2
                                                                                  : 0;
    if (taken == 0) break;
  }
  return words;
}

/// The script of a launcher is its first word with this ending; what follows belongs to the script. Empty if it runs a
/// module.
std::string launched_script(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "-m" || word == "--module") return "";
    if (!word.starts_with('-') && word.ends_with(".py")) return word;
  }
  return "";
}

/// Of the words of one simple command that runs in this folder of the workspace.
std::string script_of_one(std::span<const std::string> words, const std::string& folder) {
  words = without_prefix(words);
  if (words.empty()) return "";
  const auto placed = [&](const std::string& path) {
    return path.empty() || path.starts_with('/') ? "" : below_workspace((fs::path(folder) / path).string());
  };
  if (words[0].starts_with("./")) return placed(words[0]);
  const bool accelerated = words[0] == "accelerate" && words.size() > 1 && words[1] == "launch";
  if (accelerated || words[0] == "torchrun" || words[0] == "deepspeed")
    return placed(launched_script(words.subspan(1)));
  const Interpreter* program = interpreter_of(words[0]);
  if (!program) return "";
  const auto is_flag = [&](const std::string& w) {
    return std::ranges::find(program->flags, w) != program->flags.end();
  };
  const auto word = std::find_if_not(words.begin() + 1, words.end(), is_flag);
  if (word == words.end() || word->starts_with('-')) return "";
  const auto known = [&](std::string_view ending) { return word->ends_with(ending); };
  return std::ranges::any_of(program->endings, known) ? placed(*word) : "";
}

/// The same of a shell's command line: its first command that may run a file or make one.
std::string script_in(const std::string& text) {
  const std::set<std::string_view> harmless = {"export", "set",   "source", ".",     "mkdir", "module",  "ulimit",
                                               "umask",  "unset", "true",   "conda", "date",  "hostname"};
  std::string folder;
  for (const Words& words : simple_commands(text)) {
    const auto first = std::ranges::find_if_not(words, is_assignment);
    if (first == words.end() || harmless.contains(*first)) continue;
    if (*first != "cd") return script_of_one({first, words.end()}, folder);
    if (words.end() - first != 2 || first[1].starts_with('-') || first[1].starts_with('/')) return "";
    folder = (fs::path(folder) / first[1]).string();
  }
  return "";
}

}  // namespace

std::string script_of(const kernel::CommandTemplate& command) {
  const Words& words = command.words;
  if (command.shell) return words.empty() ? "" : script_in(words[0]);
  const Interpreter* program = words.size() < 3 ? nullptr : interpreter_of(words[0]);
  if (program && program->endings.front() == ".sh" && words[1].starts_with('-') && words[1].ends_with('c'))
    return script_in(words[2]);
  return script_of_one({words.begin(), std::ranges::find_if_not(words, kernel::is_plain)}, "");
}

std::vector<kernel::Problem> missing_scripts(const kernel::StudySpec& spec, const std::vector<std::string>& entries) {
  std::vector<kernel::Problem> warnings;
  if (spec.setup || spec.code || spec.agents != "builtin") return warnings;
  const std::set<std::string> there(entries.begin(), entries.end());
  const auto look = [&](const std::string& key, const kernel::CommandTemplate& command) {
    const std::string script = script_of(command);
    if (script.empty() || may_be_there(script, there)) return;
    std::error_code error;
    if (fs::exists(fs::path(spec.workspace.path) / script, error)) {
      warnings.push_back({spec.file, 0, key, "`" + script + "` is left out of the workspace",
                          "see .gitignore, .etudeignore and `workspace.exclude`; the line `!/" + script +
                              "` in .etudeignore takes it in"});
      return;
    }
    const std::string near = meant(script, entries);
    warnings.push_back({spec.file, 0, key, "`" + script + "` is not in the workspace",
                        near.empty() ? "correct the path, or add the file to " + spec.workspace.path
                                     : "did you mean `" + near + "`?"});
  };
  if (spec.stages.empty()) look("run", spec.run);
  for (const kernel::StageSpec& stage : spec.stages) look("stages." + stage.name + ".run", stage.run);
  return warnings;
}

}  // namespace session

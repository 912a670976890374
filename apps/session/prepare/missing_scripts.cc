#include "apps/session/prepare/missing_scripts.h"

#include <algorithm>
#include <filesystem>
#include <set>

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

/// The words of the first simple command, up to the first one that is not plain.
std::vector<std::string> plain_words(const kernel::CommandTemplate& command) {
  std::vector<std::string> words;
  if (!command.shell) {
    const auto end = std::ranges::find_if_not(command.words, kernel::is_plain);
    words.assign(command.words.begin(), end);
    return words;
  }
  const std::string& text = command.words.empty() ? std::string() : command.words[0];
  constexpr std::string_view blank = " \t\n", ends = ";&|<>()\n";
  for (std::size_t at = text.find_first_not_of(blank); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\n;&|<>()", at), text.size());
    std::string word = text.substr(at, end - at);
    const bool continues = word == "\\" && end < text.size() && text[end] == '\n';
    if (!continues && !kernel::is_plain(word)) break;
    if (!continues) words.push_back(std::move(word));
    at = std::min(text.find_first_not_of(continues ? blank : " \t", end), text.size());
    if (!continues && at < text.size() && ends.find(text[at]) != ends.npos) break;
  }
  return words;
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

}  // namespace

std::string script_of(const kernel::CommandTemplate& command) {
  const std::vector<std::string> words = plain_words(command);
  auto word = std::ranges::find_if_not(words, [&](const auto& w) { return command.shell && is_assignment(w); });
  if (word == words.end()) return "";
  if (word->starts_with("./")) return below_workspace(*word);
  const Interpreter* program = interpreter_of(*word);
  if (!program) return "";
  const auto is_flag = [&](const std::string& w) {
    return std::ranges::find(program->flags, w) != program->flags.end();
  };
  word = std::find_if_not(word + 1, words.end(), is_flag);
  if (word == words.end() || word->starts_with('-')) return "";
  const auto known = [&](std::string_view ending) { return word->ends_with(ending); };
  return std::ranges::any_of(program->endings, known) ? below_workspace(*word) : "";
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

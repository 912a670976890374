#include "apps/cli/draft/study_draft.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "apps/cli/terminal/terminal_text.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_cells = 12;

bool outside(const std::string& relative) {
  return relative.rfind("..", 0) == 0;
}

bool is_venv(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "pyvenv.cfg", error);
}

bool is_reserved(const std::string& name) {
  static constexpr std::array names = {"seed", "run_dir", "cpus", "gpus", "port", "data"};
  return std::ranges::find(names, name) != names.end();
}

std::string name_of(const ScriptOption& option) {
  std::string name;
  for (const std::string& spelled : option.names)
    if (name.empty() || spelled.rfind("--", 0) == 0) name = spelled;
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Runs have no `uv`; the environment's Python runs the same program.
std::string without_uv(const std::string& command) {
  const ShellWords shell = shell_words(command);
  if (shell.words.size() < 3 || shell.words[0].text != "uv" || shell.words[1].text != "run") return command;
  const std::string rest = command.substr(shell.words[2].begin);
  return shell.words[2].text.ends_with(".py") ? "python " + rest : rest;
}

struct Edit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

class Drafting {
 public:
  Drafting(const std::string& command, const DraftPlace& place)
      : view_(view_command(without_uv(command), place.folder)) {
    draft_.place = place;
    draft_.command = command;
  }

  kernel::Result<StudyDraft> run() {
    if (auto problem = missing_program()) return *problem;
    draft_.program = view_.script.empty() ? view_.shell.words.front().text : view_.script;
    find_environment();
    for (const CommandOption& option : view_.options) sort_out(option);
    if (std::ranges::none_of(candidates_, [](const DraftFactor& f) { return f.levels.size() > 1; })) offer_defaults();
    choose_factors();
    if (draft_.factors.empty())
      return kernel::Problem{"", 0, "--from", "the command has no option whose value could vary",
                             "name one, such as --from \"" + one_line(view_.text) + " --lr 0.1\""};
    if (!draft_.seeded) find_seed();
    draft_.run = run_text();
    draft_.metrics = std::move(view_.reading.metrics);
    draft_.unread = view_.reading.unread;
    return std::move(draft_);
  }

 private:
  std::optional<kernel::Problem> missing_program() const {
    if (view_.shell.words.empty())
      return kernel::Problem{"", 0, "--from", "the command is empty", "give one such as \"python train.py --lr 3e-4\""};
    if (!view_.script.empty()) return std::nullopt;
    for (const ShellWord& word : view_.shell.words)
      if (word.text.ends_with(".py"))
        return kernel::Problem{"", 0, "--from", "there is no `" + one_line(word.text) + "` in " + draft_.place.folder,
                               "run `etude init` in the folder where the command works"};
    return std::nullopt;
  }

  void find_environment() {
    const fs::path folder = draft_.place.folder;
    const ShellWord& first = view_.shell.words.front();
    const fs::path program = (folder / first.text).lexically_normal(), prefix = program.parent_path().parent_path();
    const std::string file = program.filename().string();
    if (first.text.find('/') != std::string::npos && file.rfind("python", 0) == 0 && is_venv(prefix)) {
      draft_.venv = prefix.string();
      edits_.push_back({first.begin, first.end, file});
      return;
    }
    if (!draft_.place.active_venv.empty() && is_venv(draft_.place.active_venv)) draft_.venv = draft_.place.active_venv;
    for (const char* name : {".venv", "venv"})
      if (draft_.venv.empty() && is_venv(folder / name)) draft_.venv = (folder / name).string();
    std::error_code error;
    for (const char* name : {"requirements.txt", "uv.lock", "pyproject.toml", "environment.yml", "setup.py"})
      if (draft_.venv.empty() && draft_.packages.empty() && fs::exists(folder / name, error)) draft_.packages = name;
  }

  void sort_out(const CommandOption& option) {
    if (is_seed(option.name)) {
      edits_.push_back({option.begin, option.end, "{seed}"});
      draft_.seeded = true;
      return;
    }
    const fs::path path = (fs::path(draft_.place.folder) / option.value).lexically_normal();
    std::error_code error;
    if (option.value.find('/') != std::string::npos && option.choices.empty()) {
      if (fs::exists(path, error)) move_path(option, path);
      return;
    }
    if (fs::exists(path, error) || is_housekeeping(option.name) || is_reserved(option.name)) return;
    edits_.push_back({option.begin, option.end, "{" + option.name + "}"});
    candidates_.push_back({option.name, option.value, levels_of(option.name, option.value, option.choices)});
  }

  static std::vector<std::string> levels_of(const std::string& name, const std::string& value,
                                            const std::vector<std::string>& choices) {
    return choices.empty() && studyfile::as_number(value) ? numeric_levels(name, value) : word_levels(value, choices);
  }

  /// A job sees its own copy of the workspace at another path, and outside of it only what `data` names.
  void move_path(const CommandOption& option, const fs::path& path) {
    const std::string inside = path.lexically_relative(draft_.place.folder).string();
    if (!outside(inside)) {
      if (fs::path(option.value).is_absolute()) edits_.push_back({option.begin, option.end, inside});
      return;
    }
    std::error_code error;
    edits_.push_back({option.begin, option.end, "{data." + option.name + "}"});
    draft_.data.push_back({option.name, path.string(), fs::is_directory(path, error)});
  }

  bool on_command_line(const std::string& name) const {
    return std::ranges::any_of(view_.options, [&](const CommandOption& option) { return option.name == name; });
  }

  /// If nothing on the command line varies, suggests the program's options at their defaults.
  void offer_defaults() {
    if (!view_.shell.simple) return;
    for (const ScriptOption& option : view_.reading.options) {
      const std::string name = name_of(option);
      const bool usable = option.takes_value && !option.takes_several && !option.default_value.empty() &&
                          studyfile::is_name(name) && !is_housekeeping(name) && !is_reserved(name) && !is_seed(name) &&
                          !on_command_line(name);
      if (!usable || (!option.number && option.choices.empty())) continue;
      DraftFactor factor{name, option.default_value, levels_of(name, option.default_value, option.choices)};
      if (factor.levels.size() < 2) continue;
      appended_ += fmt::format(" {} {{{}}}", option.names.back(), name);
      candidates_.push_back(std::move(factor));
      draft_.from_defaults = true;
    }
  }

  void choose_factors() {
    for (DraftFactor& candidate : candidates_) {
      const std::size_t levels = candidate.levels.size();
      const bool fits = levels > 1 && (draft_.factors.empty() || draft_.cells * levels <= most_cells);
      if (fits) draft_.cells *= levels;
      (fits ? draft_.factors : draft_.constants).push_back(std::move(candidate));
    }
  }

  /// Finds a seed option of the program that the command does not use.
  void find_seed() {
    for (const ScriptOption& option : view_.reading.options) {
      if (!is_seed(name_of(option)) || !view_.shell.simple) continue;
      appended_ += " " + option.names.back() + " {seed}";
      draft_.seeded = true;
      return;
    }
  }

  std::string run_text() {
    const ShellWord& script = view_.shell.words[view_.script_word];
    if (!view_.script.empty() && fs::path(script.text).is_absolute())
      edits_.push_back({script.begin, script.end, view_.script});
    std::ranges::sort(edits_, [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string out;
    std::size_t at = 0;
    const auto copy_to = [&](std::size_t end) {
      for (; at < end; ++at) out.append(view_.text[at] == '{' || view_.text[at] == '}' ? 2 : 1, view_.text[at]);
    };
    for (const Edit& edit : edits_) {
      copy_to(edit.begin);
      out += edit.text;
      at = edit.end;
    }
    copy_to(view_.text.size());
    return out + appended_;
  }

  StudyDraft draft_;
  CommandView view_;
  std::vector<Edit> edits_;
  std::vector<DraftFactor> candidates_;
  std::string appended_;
};

}  // namespace

kernel::Result<StudyDraft> draft_study(const std::string& command, const DraftPlace& place) {
  return Drafting(command, place).run();
}

}  // namespace cli

#include "apps/cli/draft/study_draft.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "apps/cli/draft/file_numbers.h"
#include "apps/cli/draft/hydra_config.h"
#include "apps/cli/draft/known_licenses.h"
#include "apps/cli/draft/level_guess.h"
#include "apps/cli/terminal/terminal_text.h"
#include "programs/find_program.h"
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

/// The last part of `model.optimizer.lr`.
std::string last_part(const ScriptOption& option) {
  const std::string& spelled = option.names.back();
  return is_override(option) ? spelled.substr(spelled.rfind('.') + 1) : factor_name(option);
}

/// Runs have no `uv`; the environment's Python runs the same program.
std::string without_uv(const std::string& command) {
  const ShellWords shell = shell_words(command);
  if (shell.words.size() < 3 || shell.words[0].text != "uv" || shell.words[1].text != "run") return command;
  const std::string rest = command.substr(shell.words[2].begin);
  return shell.words[2].text.ends_with(".py") ? "python " + rest : rest;
}

bool varies(const DraftFactor& factor) {
  return factor.levels.size() > 1;
}

/// `NAME=value` before a command.
bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != word.npos && studyfile::is_name(word.substr(0, equals));
}

/// The program that runs a script with such a name or first line; empty if neither says it.
std::string interpreter_of(const std::string& name, const std::string& source) {
  if (name.ends_with(".py")) return "python3";
  if (!name.ends_with(".sh")) return "";
  const std::string first = source.substr(0, source.find('\n'));
  return first.starts_with("#!") && first.ends_with("bash") ? "bash" : "sh";
}

/// Whether the text has the name as a word, at least so often.
bool mentions(const std::string& text, const std::string& name, int times) {
  const auto part = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1))
    if ((at == 0 || !part(at - 1)) && !part(at + name.size()) && --times <= 0) return true;
  return false;
}

/// The expression for `sed` with `{seed}` in the place of the number's own placeholder.
std::string with_seed(const FileNumber& number) {
  const std::string own = "{" + number.name + "}";
  std::string edit = number.edit;
  return edit.replace(edit.rfind(own), own.size(), "{seed}");
}

/// A file's name as one word of a command with placeholders.
std::string file_word(const std::string& file) {
  std::string name = file.starts_with('-') ? "./" + file : file;
  const bool plain = std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("._/-").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return name;
  std::string quoted = "'";
  for (const char c : name) quoted += c == '\'' ? std::string("'\\''") : std::string(c == '{' || c == '}' ? 2 : 1, c);
  return quoted + "'";
}

/// PyYAML takes `1e-3` for a text, and `1.0e-3` for a number.
std::string yaml_number(std::string number) {
  const std::size_t exponent = number.find_first_of("eE");
  if (exponent != number.npos && number.find('.') == number.npos) number.insert(exponent, ".0");
  return number;
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
    if (!view_.script.empty()) source_ = read_source(draft_.place.folder + "/" + view_.script);
    read_hydra();
    if (std::ranges::none_of(candidates_, varies)) offer_defaults();
    if (std::ranges::none_of(candidates_, varies)) offer_file_numbers();
    choose_factors();
    if (draft_.factors.empty())
      return kernel::Problem{"", 0, "--from", "the command has no option whose value could vary",
                             "name one, such as --from \"" + one_line(view_.text) + " --lr 0.1\""};
    if (!draft_.seeded) find_seed();
    if (!draft_.seeded) draft_.seeded = source_.find("ETUDE_SEED") != source_.npos;
    if (!draft_.seeded) replace_seeds();
    find_needed();
    find_license();
    draft_.gpus = mentions(source_, "cuda", 1) ? std::max(1, started_processes()) : 0;
    draft_.redirected = view_.shell.simple && std::ranges::any_of(view_.reading.metrics, &ScriptMetric::logged);
    if (draft_.redirected) appended_ += " 2>&1";
    draft_.run_lines = run_lines();
    for (const std::string& line : draft_.run_lines) draft_.run += (draft_.run.empty() ? "" : " ") + line;
    draft_.metrics = std::move(view_.reading.metrics);
    draft_.unread = view_.reading.unread;
    return std::move(draft_);
  }

 private:
  std::optional<kernel::Problem> missing_program() const {
    if (view_.shell.words.empty())
      return kernel::Problem{"", 0, "--from", "the command is empty", "give one such as \"python train.py --lr 3e-4\""};
    if (auto problem = not_started()) return problem;
    if (!view_.script.empty()) return std::nullopt;
    for (const ShellWord& word : view_.shell.words)
      if (word.text.ends_with(".py"))
        return kernel::Problem{"", 0, "--from", "there is no `" + one_line(word.text) + "` in " + draft_.place.folder,
                               "run `etude init` in the folder where the command works"};
    return std::nullopt;
  }

  /// The problem if the command begins with a file of the folder that a shell would not start.
  std::optional<kernel::Problem> not_started() const {
    const auto& words = view_.shell.words;
    const auto first = std::ranges::find_if_not(words, is_assignment, &ShellWord::text);
    if (first == words.end() || view_.script.empty() || &*first != &words[view_.script_word]) return std::nullopt;
    const std::string path = draft_.place.folder + "/" + view_.script, name = one_line(first->text);
    const bool executable = programs::is_executable_file(path), bare = first->text.find('/') == std::string::npos;
    const char* on_path = std::getenv("PATH");
    if (bare ? !programs::find_on_path(first->text, on_path ? on_path : "").empty() : executable) return std::nullopt;
    const auto instead = [&](const std::string& start) {
      return "--from \"" + one_line(view_.text.substr(0, first->begin) + start + view_.text.substr(first->begin)) +
             "\"";
    };
    const std::string interpreter = interpreter_of(view_.script, read_source(path));
    const std::string remedy = !interpreter.empty() ? "give the program that runs it, " + instead(interpreter + " ")
                               : executable         ? "give its path, " + instead("./")
                                                    : "begin with the program that runs it";
    return kernel::Problem{"", 0, "--from",
                           bare ? "`" + name + "` is a file of this folder, and no command that a shell finds"
                                : "`" + name + "` is a file that may not be executed",
                           remedy};
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
    for (const char* name : {"uv.lock", "requirements.txt", "pyproject.toml", "environment.yml", "setup.py"})
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

  /// What Hydra's configuration files set counts as options of the program.
  void read_hydra() {
    std::map<std::string, std::string> overrides;
    for (const CommandOption& option : view_.options) overrides[option.spelled] = option.value;
    const std::string folder = (fs::path(draft_.place.folder) / view_.script).parent_path().string();
    for (ScriptOption& option : hydra_options(source_, folder, overrides))
      view_.reading.options.push_back(std::move(option));
  }

  /// Gives the option a placeholder on the command line.
  void append(const ScriptOption& option, const std::string& placeholder) {
    appended_ += fmt::format(" {}{}{{{}}}", option.names.back(), is_override(option) ? "=" : " ", placeholder);
  }

  /// If nothing on the command line varies, suggests the program's options at their defaults. Configuration files set
  /// many numbers, so that of overrides only the two that people vary most often are suggested.
  void offer_defaults() {
    constexpr int most_overrides = 2;
    if (!view_.shell.simple) return;
    std::vector<ScriptOption> options = view_.reading.options;
    std::ranges::stable_sort(
        options, {}, [](const ScriptOption& option) { return is_override(option) ? rarity(last_part(option)) : -1; });
    int overrides = 0;
    for (const ScriptOption& option : options) {
      const std::string name = factor_name(option), last = last_part(option);
      const bool usable = option.takes_value && !option.takes_several && !option.default_value.empty() &&
                          studyfile::is_name(name) && !is_housekeeping(last) && !is_reserved(name) && !is_seed(last) &&
                          !on_command_line(name);
      if (!usable || (!option.number && option.choices.empty())) continue;
      DraftFactor factor{name, option.default_value, levels_of(last, option.default_value, option.choices)};
      if (factor.levels.size() < 2 || (is_override(option) && ++overrides > most_overrides)) continue;
      append(option, name);
      candidates_.push_back(std::move(factor));
      draft_.from_defaults = true;
    }
  }

  /// Configuration files that the command or the source names, the command's first; then the program itself.
  std::vector<std::string> files_with_numbers() const {
    std::vector<std::string> files;
    const auto add = [&](const std::string& name) {
      const std::string file = fs::path(name).lexically_normal().string();
      std::error_code error;
      if (!outside(file) && file != view_.script && std::ranges::find(files, file) == files.end() &&
          fs::is_regular_file(fs::path(draft_.place.folder) / file, error))
        files.push_back(file);
    };
    for (std::size_t i = view_.script_word + 1; i < view_.shell.words.size(); ++i) add(view_.shell.words[i].text);
    static const std::regex quoted(R"(["']([^"'{}\n]{1,200}\.(?:ya?ml|json|toml|ini|cfg))["'])");
    for (std::sregex_iterator at(source_.begin(), source_.end(), quoted); at != std::sregex_iterator(); ++at)
      add((*at)[1].str());
    if (!view_.script.empty()) files.push_back(view_.script);
    return files;
  }

  /// Suggests numbers that configuration files or the program give to names; a run changes them in its own copy.
  void offer_file_numbers() {
    constexpr std::size_t most = 2;
    struct Offer {
      DraftFactor factor;
      std::string file, edit;
    };
    std::vector<Offer> offers;
    for (const std::string& file : files_with_numbers())
      for (const FileNumber& number : file_numbers(file, read_source(draft_.place.folder + "/" + file))) {
        const int least = file == view_.script && !number.of_object ? 2 : 1;
        const auto same = [&](const Offer& offer) { return offer.factor.name == number.name; };
        if (!studyfile::is_name(number.name) || is_housekeeping(number.name) || is_reserved(number.name) ||
            is_seed(number.name) || on_command_line(number.name) || !mentions(source_, number.name, least) ||
            std::ranges::any_of(offers, same))
          continue;
        DraftFactor factor{number.name, number.value, numeric_levels(number.name, number.value)};
        if (file.ends_with(".yaml") || file.ends_with(".yml"))
          for (std::string& level : factor.levels)
            if (level != number.value) level = yaml_number(level);
        if (varies(factor)) offers.push_back({std::move(factor), file, number.edit});
      }
    std::ranges::stable_sort(offers, {}, [](const Offer& offer) { return rarity(offer.factor.name); });
    offers.resize(std::min(offers.size(), most));
    for (Offer& offer : offers) {
      file_edits_[offer.file].push_back(offer.edit);
      candidates_.push_back(std::move(offer.factor));
      draft_.from_defaults = true;
    }
  }

  /// Where the program or its configuration sets the seed to a constant, a run's copy gets the run's seed.
  void replace_seeds() {
    for (const std::string& file : files_with_numbers())
      for (const FileNumber& number : file_numbers(file, read_source(draft_.place.folder + "/" + file)))
        if (is_seed(number.name)) file_edits_[file].push_back(with_seed(number));
    for (std::string& edit : seed_edits(source_)) file_edits_[view_.script].push_back(std::move(edit));
    for (const auto& [file, edits] : file_edits_)
      draft_.seeded = draft_.seeded || std::ranges::any_of(edits, [](const std::string& edit) {
                        return edit.find("{seed}") != std::string::npos;
                      });
  }

  /// Ignored files that the program reads, as its source seems to say.
  void find_needed() {
    constexpr std::int64_t most_bytes = 200 << 20;
    static constexpr std::array made = {"out",  "output", "outputs", "runs",        "logs", "wandb", "checkpoints",
                                        "venv", ".venv",  "build",   "__pycache__", "dist", "env",   "results"};
    std::int64_t bytes = 0;
    for (const kernel::IgnoredEntry& entry : draft_.place.ignored.largest) {
      const std::string path = entry.path.substr(0, entry.path.find_last_not_of('/') + 1);
      const std::string name = fs::path(path).filename().string();
      const bool written =
          std::ranges::any_of(std::to_array<std::string_view>({".pt", ".pth", ".ckpt", ".log", ".pyc"}),
                              [&](std::string_view ending) { return name.ends_with(ending); });
      if (name.size() < 3 || written || std::ranges::find(made, name) != made.end() || !mentions(source_, name, 1))
        continue;
      bytes += entry.bytes;
      if (bytes <= most_bytes) draft_.needed.push_back(entry);
    }
  }

  /// What people vary most often comes first when there are too many; both lists keep the command's order.
  void choose_factors() {
    std::vector<std::size_t> order(candidates_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rarity(candidates_[i].name); });
    std::set<std::size_t> chosen;
    for (const std::size_t i : order) {
      const std::size_t levels = candidates_[i].levels.size();
      if (levels < 2 || (!chosen.empty() && draft_.cells * levels > most_cells)) continue;
      draft_.cells *= levels;
      chosen.insert(i);
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      (chosen.contains(i) ? draft_.factors : draft_.constants).push_back(std::move(candidates_[i]));
  }

  void find_license() {
    for (const char* name : {"LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING", "UNLICENSE"}) {
      const std::string text = read_source(draft_.place.folder + "/" + name);
      if (text.empty()) continue;
      draft_.license = license_of(text);
      draft_.license_file = name;
      return;
    }
  }

  /// Finds a seed option of the program that the command does not use.
  void find_seed() {
    for (const ScriptOption& option : view_.reading.options) {
      if (!is_seed(last_part(option)) || !view_.shell.simple) continue;
      append(option, "seed");
      draft_.seeded = true;
      return;
    }
  }

  /// How many processes `torchrun` or `accelerate` starts on a machine, one for each GPU; 0 if the command says none.
  int started_processes() const {
    static const std::regex option(R"((?:^|\s)--(?:nproc[-_]per[-_]node|num[-_]processes)[= ]([0-9]{1,3})\s)");
    const ShellWord& script = view_.shell.words[view_.script_word];
    const std::string before = view_.text.substr(0, script.begin);
    std::smatch found;
    return std::regex_search(before, found, option) ? std::stoi(found[1]) : 0;
  }

  std::vector<std::string> run_lines() {
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
    std::vector<std::string> lines;
    for (const auto& [file, edits] : file_edits_) {
      for (const std::string& edit : edits)
        lines.push_back((&edit == &edits.front() ? "sed -i -e '" : "-e '") + edit + "'");
      lines.back() += " " + file_word(file) + " &&";
      draft_.edited.push_back(file);
    }
    lines.push_back(out + appended_);
    return lines;
  }

  StudyDraft draft_;
  CommandView view_;
  std::vector<Edit> edits_;
  std::vector<DraftFactor> candidates_;
  std::string appended_, source_;
  std::map<std::string, std::vector<std::string>> file_edits_;  ///< File → expressions for `sed`.
};

}  // namespace

kernel::Result<StudyDraft> draft_study(const std::string& command, const DraftPlace& place) {
  return Drafting(command, place).run();
}

}  // namespace cli

#include "apps/cli/confirm/confirm_setup.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/draft/command_options.h"
#include "apps/cli/draft/file_numbers.h"
#include "apps/cli/draft/level_guess.h"
#include "apps/cli/draft/word_places.h"
#include "apps/cli/terminal/command_context.h"
#include "histories/read/read_history.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

namespace fs = std::filesystem;
using histories::Form;
using kernel::Problem;

constexpr const char* versions_folder = "versions";
constexpr const char* versions_data = "versions";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) text.replace(at, what.size(), by);
  return text;
}

/// The metric's name and a number behind it: `val_bpb: 0.9979`, `"loss": 3e-1`, `acc=0.5`.
std::string pattern_of(const std::string& metric) {
  std::string name;
  for (const char c : metric)
    name += std::string(std::string_view(R"(\^$.|?*+()[]{}/)").find(c) == std::string_view::npos ? "" : "\\") + c;
  return "(?:^|[^A-Za-z0-9_.])" + name + R"(["']?[ \t:=]+([-+0-9.eEnaif]+))";
}

/// The first word of a command that names a source in the folder of the version; empty if none does.
template <typename Has>
std::string script_of(const std::string& command, const Has& has) {
  for (const ShellWord& word : shell_words(command).words)
    if (has(word.text)) return word.text;
  return "";
}

/// The expressions for `sed` that put the run's seed into a source.
void collect_seed_edits(const std::string& name, const std::string& source, std::vector<std::string>& edits) {
  const auto add = [&](std::string edit) {
    if (std::ranges::find(edits, edit) == edits.end()) edits.push_back(std::move(edit));
  };
  for (const FileNumber& number : file_numbers(name, source)) {
    if (!is_seed(number.name)) continue;
    const std::string own = "{" + number.name + "}";
    std::string edit = number.edit;
    add(edit.replace(edit.rfind(own), own.size(), "{seed}"));
  }
  for (std::string& edit : seed_edits(source)) add(std::move(edit));
}

std::optional<Problem> read_pairs(const char* option, const std::vector<std::string>& given,
                                  std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    const std::string key = one.substr(0, equals);
    if (equals == one.npos || equals + 1 == one.size() || !studyfile::is_name(key) || one.find('\n') != one.npos)
      return Problem{"", 0, option, "`" + studyfile::shown(one) + "` is no KEY=VALUE",
                     "such as " + std::string(option) + (std::string(option) == "--budget" ? " wall=8h" : " gpus=1")};
    pairs.emplace_back(key, one.substr(equals + 1));
  }
  return std::nullopt;
}

/// `12` or `5-30`.
std::optional<Problem> read_replicates(const std::string& given, histories::Setup& setup) {
  if (given.empty()) return std::nullopt;
  const auto number = [](const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : 0;
  };
  const std::size_t dash = given.find('-');
  setup.least = number(given.substr(0, dash));
  setup.most = dash == given.npos ? setup.least : number(given.substr(dash + 1));
  if (setup.least >= 2 && setup.most >= setup.least) return std::nullopt;
  return Problem{"", 0, "--replicates", "`" + studyfile::shown(given) + "` is not a number of runs",
                 "give one, such as 12, or the fewest and the most, such as 5-30"};
}

bool is_venv(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "pyvenv.cfg", error);
}

/// Finds how the versions run; one history, one command.
class SettingUp {
 public:
  SettingUp(const ConfirmOptions& options, std::string output) : options_(options), output_(std::move(output)) {}

  kernel::Result<ConfirmFolder> run() {
    if (auto problem = read()) return *problem;
    if (auto problem = find_code()) return *problem;
    if (auto problem = find_command()) return *problem;
    const kernel::Goal goal = *history().goal;
    if (auto problem = histories::nothing_left(history(), made_.confirmation.claims)) return *problem;
    histories::settle_steps(made_.confirmation.claims, goal);
    if (auto problem = settle()) return *problem;
    for (histories::HistoryEntry& entry : history().entries) entry.line = std::max(entry.line, 0);
    made_.files["confirm.json"] =
        histories::to_json(made_.confirmation).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    made_.files["study.yaml"] = histories::study_text(made_.confirmation, setup_);
    return std::move(made_);
  }

 private:
  histories::History& history() { return made_.confirmation.history; }

  std::optional<Problem> read() {
    histories::Asked asked{options_.metric, options_.study, std::nullopt};
    if (!options_.goal.empty())
      asked.goal = options_.goal == "maximize" ? kernel::Goal::maximize : kernel::Goal::minimize;
    auto read = histories::read_history(options_.path, asked);
    if (!read) return read.problem();
    history() = std::move(*read);
    if (history().metric.empty())
      return Problem{
          history().path, 0, "--metric", "the history does not name its metric",
          std::string("give the name under which a run reports it") +
              (options_.run.empty() && history().form == Form::parameters ? ", and the command by --run" : "")};
    made_.confirmation.metric = histories::key_of(history().metric);
    for (const auto& [value, name] :
         {std::pair(histories::Against::both, "both"), std::pair(histories::Against::baseline, "baseline"),
          std::pair(histories::Against::before, "before")})
      if (options_.against == name) made_.confirmation.against = value;
    auto claims = histories::claims_of(history(),
                                       {options_.baseline, options_.top, {options_.skip.begin(), options_.skip.end()}});
    if (!claims) return claims.problem();
    made_.confirmation.claims = std::move(*claims);
    return std::nullopt;
  }

  std::optional<Problem> find_code() {
    if (history().form == Form::commit && !options_.folder.empty())
      return Problem{"", 0, "--in", "the versions of this history are commits, each with its own files",
                     "leave it out"};
    auto tree = histories::files_of(history(), made_.confirmation.claims);
    if (!tree) return tree.problem();
    for (auto& [path, file] : *tree) {
      const std::string place = std::string(versions_folder) + "/" + path;
      if (file.executable) made_.kinds.executable.insert(place);
      if (file.link) made_.kinds.links.insert(place);
      made_.files[place] = std::move(file.bytes);
    }
    place_ = options_.folder.empty() ? fs::path() : fs::path(absolute_path(options_.folder));
    if (history().form == Form::parameters && place_.empty()) place_ = options_.here;
    if (history().form == Form::parameters && place_.empty())
      return Problem{"", 0, "--in", "the folder where the command works is missing", "name it"};
    if (!place_.empty() && !fs::is_directory(place_))
      return Problem{"", 0, "--in", "`" + options_.folder + "` is not a folder",
                     "name the folder where the command works"};
    return std::nullopt;
  }

  std::string baseline_file(const std::string& name) const {
    return std::string(versions_folder) + "/" + made_.confirmation.claims.baseline.arm + "/" + name;
  }

  std::optional<Problem> find_command() {
    std::string command = options_.run;
    if (command.empty() && history().form == Form::commit)
      for (const char* name : {"train.py", "main.py", "run.py"})
        if (command.empty() && made_.files.contains(baseline_file(name))) command = std::string("python3 ") + name;
    if (command.empty() && history().form == Form::program && history().suffix == ".py" && place_.empty())
      command = "python3 {program}";
    if (command.empty())
      return Problem{
          "", 0, "--run", "the history does not tell how a version is run",
          history().form == Form::parameters
              ? "give the command with {NAME} for each parameter and {seed}: --run 'python3 train.py --lr {lr} "
                "--seed {seed}'"
          : history().form == Form::program
              ? "give the command that scores a program: --run 'python3 evaluate.py {program} --seed {seed}'"
              : "give the command: --run 'python3 train.py --seed {seed}'"};
    find_environment(command);
    if (history().form == Form::parameters) {
      const histories::Template filled = histories::with_parameters(command, history());
      if (auto problem = histories::check_parameters(history(), filled, made_.confirmation.claims)) return problem;
      if (const auto& names = made_.confirmation.claims.left_out; !names.empty())
        made_.notes.push_back(
            "--run: the command leaves out " + studyfile::listed({names.begin(), names.end()}) +
            ", by which improvements differ from the baseline: they are not run as they were recorded");
      command = filled.run;
      setup_.names = filled.names;
    }
    const std::string program = std::string(histories::program_stem) + history().suffix;
    if (history().form == Form::program) command = replaced(command, "{program}", program);
    const std::string edited = find_seed(command, program);
    std::string before;
    if (history().form == Form::commit || (history().form == Form::program && place_.empty()))
      before = "cd {version} && ";
    else if (history().form == Form::program)
      before = fmt::format("cp {{data.{}}}/{{version}}/{} {} && ", versions_data, program, program);
    setup_.run = before + edited + command;
    return std::nullopt;
  }

  /// `uv run` needs a network and a home; its environment's programs run the same.
  void find_environment(std::string& command) {
    if (command.starts_with("uv run ")) {
      command.erase(0, 7);
      if (const std::string first = command.substr(0, command.find(' ')); first.ends_with(".py"))
        command = "python3 " + command;
    }
    const fs::path base = history().form == Form::commit ? fs::path(history().repository) : place_;
    for (const fs::path& folder : {fs::path(options_.virtual_environment), base / ".venv", base / "venv"})
      if (setup_.environment.empty() && !folder.empty() && folder.is_absolute() && is_venv(folder))
        setup_.environment = "venv:" + folder.string();
  }

  /// The sources of the command's script, one for each version. Fills in its name.
  std::vector<std::string> sources_of(const std::string& command, const std::string& program, std::string& script) {
    std::vector<std::string> sources;
    if (history().form == Form::parameters ||
        (history().form == Form::program && !place_.empty() && command.find(program) == command.npos)) {
      script = script_of(command, [&](const std::string& word) {
        std::error_code error;
        return !word.empty() && fs::path(word).is_relative() && fs::is_regular_file(place_ / word, error);
      });
      if (!script.empty()) sources.push_back(read_source((place_ / script).string()));
      return sources;
    }
    script = script_of(command, [&](const std::string& word) { return made_.files.contains(baseline_file(word)); });
    if (script.empty()) return sources;
    for (const auto& [path, bytes] : made_.files)
      if (path.starts_with(std::string(versions_folder) + "/v") && path.ends_with("/" + script) &&
          path.find('/', std::string(versions_folder).size() + 1) + 1 + script.size() == path.size())
        sources.push_back(bytes);
    return sources;
  }

  /// What puts the seed into the program before it runs; empty if the command has it.
  std::string find_seed(const std::string& command, const std::string& program) {
    std::string script;
    const std::vector<std::string> sources = sources_of(command, program, script);
    const auto mention = [&](const char* word) {
      return std::ranges::any_of(sources, [&](const std::string& text) { return text.find(word) != text.npos; });
    };
    reports_itself_ = mention("ETUDE_METRICS");
    if (command.find("{seed}") != command.npos || mention("ETUDE_SEED")) return "";
    std::vector<std::string> edits;
    for (const std::string& source : sources) collect_seed_edits(script, source, edits);
    if (edits.empty()) {
      setup_.seed_remark = "No place was found where the program takes its seed: write it as {seed}.";
      made_.notes.push_back(
          "--run: no place was found where the program takes its seed, so the runs of a version may all "
          "be alike: give it an option and write --run '… --seed {seed}'");
      return "";
    }
    setup_.seed_remark = "`sed` puts the run's seed into its own copy of " + script + ".";
    std::string text = "sed -i";
    for (const std::string& edit : edits) text += " -e '" + edit + "'";
    return text + " " + script + " && ";
  }

  std::optional<Problem> settle() {
    if (history().form == Form::parameters || (history().form == Form::program && !place_.empty())) {
      setup_.workspace = place_.string();
      // What this makes, and the record of what others found, is no part of the code.
      for (const fs::path& path : {fs::path(output_), fs::path(history().path)}) {
        const std::string inside = path.lexically_relative(place_).string();
        if (inside != "." && !inside.starts_with("..")) setup_.exclude.push_back("/" + inside);
      }
    } else {
      setup_.workspace = versions_folder;
    }
    if (history().form == Form::program && !place_.empty()) setup_.data[versions_data] = versions_folder;
    for (const std::string& one : options_.data) {
      const std::size_t equals = one.find('=');
      if (equals == one.npos || !studyfile::is_name(one.substr(0, equals)))
        return Problem{"", 0, "--data", "`" + studyfile::shown(one) + "` is no NAME=PATH",
                       "such as --data corpus=/data/corpus"};
      setup_.data[one.substr(0, equals)] = absolute_path(one.substr(equals + 1));
    }
    if (auto problem = read_pairs("--resource", options_.resources, setup_.resources)) return problem;
    if (auto problem = read_pairs("--budget", options_.budget, setup_.budget)) return problem;
    if (auto problem = read_replicates(options_.replicates, setup_)) return problem;
    setup_.pattern = options_.pattern;
    if (setup_.pattern.empty() && !reports_itself_) setup_.pattern = pattern_of(history().metric);
    return std::nullopt;
  }

  const ConfirmOptions& options_;
  const std::string output_;
  ConfirmFolder made_;
  histories::Setup setup_;
  fs::path place_;  ///< Where a command works that is not part of the history; empty: there is none.
  bool reports_itself_ = false;
};

}  // namespace

kernel::Result<ConfirmFolder> confirm_folder(const ConfirmOptions& options, const std::string& output) {
  return SettingUp(options, output).run();
}

}  // namespace cli

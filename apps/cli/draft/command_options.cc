#include "apps/cli/draft/command_options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "embedded/cli_programs.h"
#include "programs/find_program.h"
#include "programs/run_program.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_source = 4 << 20;

kernel::MetricSource source_of(const nlohmann::json& metric) {
  const std::string source = metric.at("source");
  if (source == "metrics_file") return kernel::FromMetricsFile{};
  if (source == "stdout") return kernel::FromStdout{metric.at("pattern")};
  const std::string file = metric.at("file"), key = metric.at("key");
  if (source == "jsonl") return kernel::FromJsonLines{file, key, ""};
  return kernel::FromJsonFile{file, "/" + key};
}

/// The file below `folder` that a word names; empty when it names none.
std::string file_below(const std::string& word, const std::string& folder) {
  if (word.empty()) return {};
  const fs::path path = (fs::path(folder) / word).lexically_normal();
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const std::string relative = path.lexically_relative(folder).string();
  return relative.rfind("..", 0) == 0 ? std::string() : relative;
}

std::string module_file(std::string module_name, const std::string& folder) {
  std::ranges::replace(module_name, '.', '/');
  const std::string file = file_below(module_name + ".py", folder);
  return file.empty() ? file_below(module_name + "/__main__.py", folder) : file;
}

struct Script {
  std::size_t word = 0;
  std::string file;
};

bool is_command(const std::string& name) {
  const char* path = std::getenv("PATH");
  return path && !programs::find_on_path(name, path).empty();
}

Script find_script(const std::vector<ShellWord>& words, const std::string& folder) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool after_python = i > 0 && words[0].text.find("python") != std::string::npos;
    if (after_python && words[i].text == "-m" && i + 1 < words.size())
      return {i + 1, module_file(words[i + 1].text, folder)};
    // A command of the PATH is no file of the folder.
    if (i == 0 && words[0].text.find('/') == std::string::npos && is_command(words[0].text)) continue;
    const std::string file = file_below(words[i].text, folder);
    // An interpreter in the folder (`.venv/bin/python`) is not the program.
    const bool interpreter = file.find("bin/python") != std::string::npos;
    if (words[i].text.ends_with(".py") || (!file.empty() && !interpreter)) return {i, file};
  }
  return {};
}

std::string name_of(std::string_view spelled, const ScriptOption* declared) {
  if (declared && spelled.rfind("--", 0) != 0)
    for (const std::string& name : declared->names)
      if (name.rfind("--", 0) == 0) spelled = name;
  std::string name;
  for (const char c : spelled.substr(std::min(spelled.find_first_not_of('-'), spelled.size())))
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && !studyfile::as_number(word);
}

class Options {
 public:
  explicit Options(CommandView& view) : view_(view), words_(view.shell.words) {}

  void read(std::size_t from) {
    for (std::size_t i = from; i < words_.size(); ++i) {
      const std::string& text = words_[i].text;
      const std::size_t equals = text.find('=');
      if (text == "--") return;
      if (is_option(text) && equals == std::string::npos)
        i += separate(i);
      else if (equals != std::string::npos && equals > 0 && text.front() != '/')
        joined(words_[i], equals);
    }
  }

 private:
  /// Number of words that the option's value takes.
  std::size_t separate(std::size_t i) {
    const ScriptOption* declared = find_option(view_.reading.options, words_[i].text);
    if (declared && (!declared->takes_value || declared->takes_several)) return 0;
    if (i + 1 >= words_.size() || is_option(words_[i + 1].text)) return 0;
    // If the program does not declare it, `--layers 64 64` may be one option with two values.
    const bool several = !declared && i + 2 < words_.size() && !is_option(words_[i + 2].text) &&
                         studyfile::as_number(words_[i + 2].text) && studyfile::as_number(words_[i + 1].text);
    if (several) return 1;
    const ShellWord& value = words_[i + 1];
    add(words_[i].text, declared, value, value.text, value.begin);
    return 1;
  }

  void joined(const ShellWord& word, std::size_t equals) {
    const std::string spelled = word.text.substr(0, equals);
    const ScriptOption* declared = find_option(view_.reading.options, spelled);
    if (declared && declared->takes_several) return;
    // Quotes before the `=` would change its position.
    if (view_.text.compare(word.begin, equals + 1, word.text, 0, equals + 1) != 0) return;
    add(spelled, declared, word, word.text.substr(equals + 1), word.begin + equals + 1);
  }

  void add(const std::string& spelled, const ScriptOption* declared, const ShellWord& word, const std::string& value,
           std::size_t begin) {
    const std::string name = name_of(spelled, declared);
    if (!word.plain || value.empty() || !studyfile::is_name(name)) return;
    for (const CommandOption& option : view_.options)
      if (option.name == name) return;
    view_.options.push_back(
        {spelled, name, value, begin, word.end, declared ? declared->choices : std::vector<std::string>()});
  }

  CommandView& view_;
  const std::vector<ShellWord>& words_;
};

}  // namespace

std::string read_source(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most_source, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

ScriptReading read_script(const std::string& source) {
  ScriptReading reading;
  const char* path = std::getenv("PATH");
  const std::string python = programs::find_on_path("python3", path ? path : "");
  if (python.empty()) {
    reading.unread = "there is no python3 to read its source with";
    return reading;
  }
  const auto ran =
      programs::run_program({.argv = {python, "-I", "-S", "-c", std::string(embedded::cli_programs("read_script.py"))},
                             .in = source,
                             .limit = std::chrono::minutes(2),
                             .most_output = 1 << 20});
  const auto read = ran && ran->exit == 0 ? nlohmann::json::parse(ran->out, nullptr, false) : nlohmann::json();
  if (!read.is_object()) {
    reading.unread = "python3 cannot read its source";
    return reading;
  }
  for (const auto& option : read.at("options"))
    reading.options.push_back({option.at("names"), option.at("takes_value"), option.at("takes_several"),
                               option.at("number"), option.at("default"), option.at("choices")});
  for (const auto& metric : read.at("metrics"))
    reading.metrics.push_back({metric.at("name"), source_of(metric),
                               metric.at("maximize") ? kernel::Goal::maximize : kernel::Goal::minimize,
                               metric.at("unit"), metric.at("line"), metric.value("logged", false)});
  return reading;
}

std::string factor_name(const ScriptOption& option) {
  return name_of(option.names.back(), &option);
}

bool is_override(const ScriptOption& option) {
  return option.names.back().front() != '-';
}

const ScriptOption* find_option(const std::vector<ScriptOption>& options, std::string_view spelled) {
  // tyro and click take `-` for `_` within a name.
  const auto same = [](char a, char b) { return a == b || (a == '_' && b == '-') || (a == '-' && b == '_'); };
  for (const ScriptOption& option : options)
    if (std::ranges::any_of(option.names,
                            [&](const std::string& name) { return std::ranges::equal(name, spelled, same); }))
      return &option;
  return nullptr;
}

CommandView view_command(const std::string& command, const std::string& folder) {
  CommandView view;
  view.text = command;
  view.shell = shell_words(command);
  const std::vector<ShellWord>& words = view.shell.words;
  if (words.empty()) return view;
  const Script script = find_script(words, folder);
  view.script = script.file;
  view.script_word = script.word;
  if (view.script.ends_with(".py")) view.reading = read_script(read_source(folder + "/" + view.script));
  Options(view).read(script.word + 1);
  return view;
}

}  // namespace cli

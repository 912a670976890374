#include "apps/cli/draft/hydra_config.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>

#include "apps/cli/draft/level_guess.h"
#include "studyfile/yaml/document.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

using studyfile::YamlNode;

/// The value of a literal argument of `@hydra.main`; `otherwise` if there is none.
std::string argument_of(const std::string& arguments, const std::string& name, const std::string& otherwise) {
  std::smatch found;
  const std::regex literal(name + R"re(\s*=\s*["']([^"']*)["'])re");
  return std::regex_search(arguments, found, literal) ? found[1].str() : otherwise;
}

class ConfigReader {
 public:
  ConfigReader(fs::path folder, const std::map<std::string, std::string>& overrides)
      : folder_(std::move(folder)), overrides_(overrides) {}

  void read_primary(const std::string& name) {
    const auto tree = read(name);
    if (!tree) return;
    add(*tree, "");
    for (const studyfile::YamlEntry& entry : tree->entries)
      if (entry.key == "defaults")
        for (const YamlNode& chosen : entry.value.items)
          for (const studyfile::YamlEntry& one : chosen.entries) read_chosen(one.key, one.value);
  }

  std::vector<ScriptOption> options;

 private:
  std::optional<YamlNode> read(std::string name) {
    if (!name.ends_with(".yaml") && !name.ends_with(".yml")) name += ".yaml";
    text_ = read_source((folder_ / name).string());
    auto tree = studyfile::read_yaml_text(text_, name, "configuration");
    return tree && tree->kind == YamlNode::Kind::mapping ? std::optional(std::move(*tree)) : std::nullopt;
  }

  /// `- model: large`: the file model/large.yaml stands at `model`.
  void read_chosen(std::string group, const YamlNode& file) {
    for (const char* mark : {"optional ", "override "})
      if (group.starts_with(mark)) group.erase(0, std::string(mark).size());
    const auto instead = overrides_.find(group);
    const std::string name = instead != overrides_.end() ? instead->second : file.text;
    const bool elsewhere = group.find_first_of("@.") != std::string::npos || group.starts_with("hydra");
    if (elsewhere || name.empty() || name == "null" || name.find("${") != std::string::npos) return;
    const auto tree = read(group + "/" + name);
    if (!tree) return;
    std::string prefix = std::regex_replace(group, std::regex("/"), ".") + ".";
    if (std::regex_search(text_, std::regex(R"(^#\s*@package\s+_(global|root)_)"))) prefix.clear();
    add(*tree, prefix);
  }

  void add(const YamlNode& tree, const std::string& prefix) {
    for (const studyfile::YamlEntry& entry : tree.entries) {
      const std::string& key = entry.key;
      const YamlNode& value = entry.value;
      if (!studyfile::is_name(key) || key == "defaults") continue;
      if (value.kind == YamlNode::Kind::mapping) add(value, prefix + key + ".");
      const bool number =
          value.kind == YamlNode::Kind::scalar && !value.quoted && studyfile::as_number(value.text).has_value();
      if (!number && !(is_seed(key) && value.kind != YamlNode::Kind::mapping)) continue;
      ScriptOption option;
      option.names = {prefix + key};
      option.number = number;
      if (number) option.default_value = value.text;
      add_once(std::move(option));
    }
  }

  /// If two files set a name to different values, which of them counts depends on their order: neither is taken.
  void add_once(ScriptOption option) {
    const auto same = std::ranges::find(options, option.names, &ScriptOption::names);
    if (same == options.end())
      options.push_back(std::move(option));
    else if (same->default_value != option.default_value)
      same->default_value.clear();
  }

  const fs::path folder_;
  const std::map<std::string, std::string>& overrides_;
  std::string text_;
};

}  // namespace

std::vector<ScriptOption> hydra_options(const std::string& source, const std::string& folder,
                                        const std::map<std::string, std::string>& overrides) {
  std::smatch found;
  if (!std::regex_search(source, found, std::regex(R"(@(?:hydra\.)?main\(([^)]{0,1000})\))"))) return {};
  if (source.find("hydra") == std::string::npos) return {};
  const std::string arguments = found[1];
  std::string name = argument_of(arguments, "config_name", "");
  for (const char* spelled : {"--config-name", "-cn"})
    if (const auto given = overrides.find(spelled); given != overrides.end()) name = given->second;
  if (name.empty()) return {};
  ConfigReader reader(fs::path(folder) / argument_of(arguments, "config_path", "."), overrides);
  reader.read_primary(name);
  return std::move(reader.options);
}

}  // namespace cli

#include "artifacts/published/configuration.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#define TOML_EXCEPTIONS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include "artifacts/text/untrusted_text.h"

namespace artifacts::published {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_file = 1u << 20;
constexpr std::array<std::string_view, 5> known_keys{"select", "ignore", "fixable", "unfixable", "severity"};

struct Wrong {
  int line = 0;
  std::string what, why, todo;
};

int line_of(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

/// "ARA" and at most three digits, such that some rule begins so.
void require_selector(std::string_view selector, int line, std::string_view key) {
  const bool formed = selector.starts_with("ARA") && selector.size() <= 6 &&
                      selector.find_first_not_of("0123456789", 3) == selector.npos;
  if (formed)
    for (const PublishedRule& rule : rules())
      if (rule.name.starts_with(selector)) return;
  throw Wrong{line, std::string(key), fmt::format("{} fits no rule", quote(selector)),
              "write a code such as ARA107, or its beginning: ARA1, ARA"};
}

using Selectors = std::vector<std::string>;

Selectors selectors_in(const toml::table& file, std::string_view key, Selectors otherwise) {
  const toml::node* node = file.get(key);
  if (!node) return otherwise;
  const auto wrong_kind = [&](const toml::node& where) {
    throw Wrong{line_of(where), std::string(key), "it must be a list of texts", "write [\"ARA1\", \"ARA207\"]"};
  };
  const toml::array* list = node->as_array();
  if (!list) wrong_kind(*node);
  Selectors selectors;
  for (const toml::node& item : *list) {
    const auto text = item.value_exact<std::string>();
    if (!text) wrong_kind(item);
    require_selector(*text, line_of(item), key);
    selectors.push_back(*text);
  }
  return selectors;
}

/// The length of the longest selector that fits; 0 if none does.
std::size_t longest(const Selectors& selectors, std::string_view rule) {
  std::size_t length = 0;
  for (const std::string& selector : selectors)
    if (rule.starts_with(selector)) length = std::max(length, selector.size());
  return length;
}

struct Raised {
  std::string selector;
  Severity severity;
};

std::vector<Raised> severities_in(const toml::table& file) {
  std::vector<Raised> result;
  const toml::node* node = file.get("severity");
  if (!node) return result;
  const toml::table* table = node->as_table();
  if (!table)
    throw Wrong{line_of(*node), "severity", "it must be a table", "write [severity] and lines ARA2 = \"error\""};
  for (const auto& [key, value] : *table) {
    const std::string selector(key.str());
    require_selector(selector, line_of(value), "severity");
    const auto text = value.value_exact<std::string>();
    if (!text || (*text != "error" && *text != "warning"))
      throw Wrong{line_of(value), "severity." + selector, "the value is neither \"error\" nor \"warning\"",
                  "write one of the two"};
    result.push_back({selector, *text == "error" ? Severity::error : Severity::warning});
  }
  return result;
}

/// Nothing if there is no such entry at all; a link that leads nowhere is an entry.
bool is_there(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  return status.type() != fs::file_type::not_found;
}

kernel::Result<Configuration> read(const fs::path& path) {
  const auto unreadable = [&](std::string why) {
    return kernel::Problem{path.string(), 0, std::string(configuration_file), std::move(why),
                           "correct it, or leave it out with --no-config"};
  };
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return unreadable("it is not a file that can be read");
  if (fs::file_size(path, error) > largest_file) return unreadable("it is larger than 1 MB");
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return unreadable("it cannot be read");
  return Configuration::parse(text.str(), path.string());
}

}  // namespace

Configuration::Configuration() {
  for (const PublishedRule& rule : rules())
    settings_[static_cast<std::size_t>(rule.code)] = {true, rule.fixable, rule.severity};
}

kernel::Result<Configuration> Configuration::parse(std::string_view text, const std::string& path) {
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed)
    return kernel::Problem{path, static_cast<int>(parsed.error().source().begin.line), std::string(configuration_file),
                           std::string(parsed.error().description()), "correct the TOML"};
  const toml::table& file = parsed.table();
  try {
    for (const auto& [key, value] : file)
      if (!is_one_of(known_keys, key.str())) {
        const std::string_view near = nearest(key.str(), known_keys);
        throw Wrong{static_cast<int>(key.source().begin.line), quote(key.str()), "there is no such key",
                    near.empty() ? "use select, ignore, fixable, unfixable and [severity]"
                                 : fmt::format("did you mean `{}`?", near)};
      }
    const Selectors select = selectors_in(file, "select", {"ARA"}), ignore = selectors_in(file, "ignore", {});
    const Selectors fixable = selectors_in(file, "fixable", {"ARA"}), unfixable = selectors_in(file, "unfixable", {});
    const std::vector<Raised> severities = severities_in(file);
    Configuration result;
    result.path_ = path;
    for (const PublishedRule& rule : rules()) {
      RuleSetting& setting = result.settings_[static_cast<std::size_t>(rule.code)];
      setting.reported = longest(select, rule.name) > longest(ignore, rule.name);
      setting.fixable = rule.fixable && longest(fixable, rule.name) > longest(unfixable, rule.name);
      std::size_t length = 0;
      for (const Raised& raised : severities)
        if (rule.name.starts_with(raised.selector) && raised.selector.size() > length) {
          length = raised.selector.size();
          setting.severity = raised.severity;
        }
    }
    return result;
  } catch (const Wrong& wrong) {
    return kernel::Problem{path, wrong.line, wrong.what, wrong.why, wrong.todo};
  }
}

kernel::Result<Configuration> find_configuration(const std::string& directory, const ConfigurationChoice& choice) {
  if (choice.ignored) return Configuration();
  if (!choice.path.empty()) return read(choice.path);
  std::error_code error;
  const fs::path start = fs::canonical(directory, error);
  if (error) return Configuration();
  fs::path root = start;
  while (!is_there(root / ".git") && root.has_relative_path()) root = root.parent_path();
  if (!is_there(root / ".git")) root = start;
  for (fs::path folder = start;; folder = folder.parent_path()) {
    if (is_there(folder / configuration_file)) return read(folder / configuration_file);
    if (folder == root) return Configuration();
  }
}

}  // namespace artifacts::published

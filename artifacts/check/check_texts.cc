#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/read/yaml_value.h"
#include "artifacts/text/html_page.h"
#include "artifacts/text/json_text.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/etude_json.h"

namespace artifacts {
namespace {

// Other files get less time than those that rules read; YAML is by far the slowest.
constexpr std::uint64_t largest_other = 16u << 20;
constexpr std::uint64_t most_other = 64u << 20;
constexpr std::uint64_t most_other_yaml = 8u << 20;

constexpr std::array<std::string_view, 9> read_by_layer{
    "PAPER.md",
    "logic/problem.md",
    "logic/claims.md",
    "logic/concepts.md",
    "logic/experiments.md",
    "logic/solution/heuristics.md",
    "logic/related_work.md",
    "trace/exploration_tree.yaml",
    etude_json_file,
};

enum class Format { other, markdown_page, yaml_file, json_file };

Format format_of(std::string_view path) {
  if (path.ends_with(".md")) return Format::markdown_page;
  if (path.ends_with(".yaml") || path.ends_with(".yml")) return Format::yaml_file;
  return path.ends_with(".json") ? Format::json_file : Format::other;
}

/// Checks texts that the reader does not parse, because they contain no references.
class TextCheck {
 public:
  TextCheck(const Artifact& artifact, const SafeRoot& root, Findings& findings)
      : artifact_(artifact), root_(root), findings_(findings), sealed_(artifact.file(etude_json_file) != nullptr) {}

  void all() {
    for (const Entry& entry : artifact_.files.entries) {
      // The target of a link is checked at its own path.
      if (entry.kind != FileKind::regular || entry.link || is_elsewhere(entry.path)) continue;
      if (const Format format = format_of(entry.path); format != Format::other) look_at(entry, format);
    }
  }

 private:
  /// Files that other rules check, and code, whose content is up to its author.
  bool is_elsewhere(std::string_view path) const {
    if (path.starts_with("evidence/")) return path.ends_with(".md");
    if (path.starts_with("src/workspace/") || path.starts_with("src/evaluator/")) return true;
    // The study file is copied unchanged, and the study's own reader checks it.
    if (sealed_ && path == "src/study.yaml") return true;
    return is_one_of(read_by_layer, path);
  }

  void look_at(const Entry& entry, Format format) {
    std::uint64_t& left = format == Format::yaml_file ? yaml_left_ : left_;
    if (entry.size > std::min(largest_other, left)) return left_out(entry);
    const FileBytes read = root_.read(entry.path, std::min(largest_other, left));
    if (read.too_large) return left_out(entry);
    if (read.kind == FileKind::unreadable)
      findings_.add(RuleId::unreadable_file, entry.path, 0, "the file cannot be read");
    if (read.kind != FileKind::regular) return;
    left -= read.bytes.size();
    if (format == Format::json_file) return look_at_json(entry.path, read.bytes);
    const CleanText text = clean(read.bytes);
    if (text.invalid_line > 0)
      findings_.add(RuleId::invalid_utf8, entry.path, text.invalid_line, "the text is not valid UTF-8 from here on");
    if (text.control_line > 0)
      findings_.add(RuleId::control_characters, entry.path, text.control_line,
                    "a control character stands in the text");
    if (format == Format::yaml_file) look_at_yaml(entry.path, text.text);
  }

  void left_out(const Entry& entry) {
    if (entry.size > largest_other)
      findings_.add_as(Severity::info, RuleId::too_large, entry.path, 0,
                       fmt::format("the file is larger than {} MB, and was not checked", largest_other >> 20));
    else if (!std::exchange(said_, true))
      findings_.add_as(Severity::info, RuleId::too_large, entry.path, 0,
                       "there is more text than is looked at; this file, and maybe others, were not checked");
  }

  /// Nothing else reads this file, so a mistake in it is harmless.
  void look_at_yaml(const std::string& path, std::string_view text) {
    const auto parsed = parse_yaml(text);
    if (const auto* trouble = std::get_if<YamlTrouble>(&parsed))
      findings_.add_as(trouble->rule == RuleId::bad_yaml ? Severity::warning : Severity::info, trouble->rule, path,
                       trouble->line, trouble->what);
  }

  void look_at_json(const std::string& path, std::string_view bytes) {
    if (const auto line = line_of_json_trouble(bytes))
      findings_.add_as(Severity::warning, RuleId::bad_json, path, *line, "this is not JSON from here on");
  }

  const Artifact& artifact_;
  const SafeRoot& root_;
  Findings& findings_;
  const bool sealed_;
  std::uint64_t left_ = most_other, yaml_left_ = most_other_yaml;
  bool said_ = false;
};

constexpr const char* report_page = "report.md";
constexpr std::uint64_t largest_report = 16u << 20;

/// Decodes "%20" and the like.
std::string unescaped(std::string_view target) {
  const auto digit = [](char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string path;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const int high = target[i] == '%' && i + 2 < target.size() ? digit(target[i + 1]) : -1;
    const int low = high >= 0 ? digit(target[i + 2]) : -1;
    path += low >= 0 ? static_cast<char>(16 * high + low) : target[i];
    i += low >= 0 ? 2 : 0;
  }
  return path;
}

}  // namespace

void check_texts(const Artifact& artifact, const SafeRoot& root, Findings& findings) {
  TextCheck(artifact, root, findings).all();
}

void check_links(const SafeRoot& root, Findings& findings) {
  const FileBytes read = root.read(report_page, largest_report);
  if (!read.whole()) return;
  for (const LinkTarget& link : links_of_markdown(read.bytes)) {
    const std::string target = link.target.substr(0, link.target.find('#'));
    if (target.empty() || is_url(target)) continue;
    const FoundPath found = find_path(root, {{"", unescaped(target)}, {"", target}});
    if (found.path.empty() && !found.directory)
      findings.add(RuleId::broken_link, report_page, link.line,
                   fmt::format("the report links to {}, which {}", quote(target),
                               found.outside ? "lies outside the artifact" : "does not exist"));
  }
}

}  // namespace artifacts

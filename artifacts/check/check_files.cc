#include <algorithm>
#include <array>
#include <map>
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

constexpr std::array<std::string_view, 10> mandatory{
    "PAPER.md",
    "logic/problem.md",
    "logic/claims.md",
    "logic/concepts.md",
    "logic/experiments.md",
    "logic/solution/constraints.md",
    "logic/related_work.md",
    "src/environment.md",
    "trace/exploration_tree.yaml",
    "evidence/README.md",
};
constexpr std::uint64_t stub_size = 10;

void check_mandatory(const SafeRoot& root, Findings& findings) {
  for (const std::string_view path : mandatory) {
    const Entry entry = root.look(std::string(path));
    std::string what;
    if (entry.kind == FileKind::none)
      what = "the mandatory file is missing";
    else if (entry.kind == FileKind::directory)
      what = "a directory stands where the mandatory file should be";
    else if (entry.kind != FileKind::regular)
      what = "the mandatory file is not a regular file of the artifact";
    else if (entry.size <= stub_size)
      what = fmt::format("the mandatory file holds {} bytes; more than {} are needed", entry.size, stub_size);
    if (what.empty()) continue;
    if (path == "logic/experiments.md") what += "; references to experiments were not checked";
    findings.add(RuleId::missing_file, path, 0, what);
  }
}

void check_kinds(const Artifact& artifact, Findings& findings) {
  for (const Entry& entry : artifact.files.entries) {
    const bool evidence = entry.path.starts_with("evidence/") || entry.path.starts_with("src/");
    switch (entry.kind) {
      case FileKind::outside:
        findings.add(RuleId::outside_root, entry.path, 0, "the link leads out of the artifact, and was not followed");
        break;
      case FileKind::special:
        findings.add_as(evidence ? Severity::error : Severity::warning, RuleId::special_file, entry.path, 0,
                        entry.link ? "the link leads nowhere" : "this is a pipe, a socket or a device");
        break;
      case FileKind::unreadable:
        findings.add_of_record(RuleId::unreadable_file, entry.path, 0, "the file cannot be looked at");
        break;
      case FileKind::secret:
        findings.add(RuleId::secret_file, entry.path, 0, "this file holds a secret, and was not read");
        break;
      case FileKind::none:
      case FileKind::regular:
      case FileKind::directory:
        break;
    }
  }
  if (!artifact.files.complete)
    findings.add(RuleId::too_large, "", 0,
                 "the artifact has more than 200,000 entries, folders deeper than 64, or folders that cannot be "
                 "listed; not all of it was checked");
}

void check_stems(const Artifact& artifact, Findings& findings) {
  std::map<std::string_view, std::string_view> seen;
  for (const Layer& layer : artifact.evidence) {
    const std::string_view file = layer.file;
    std::string_view stem = file.substr(file.rfind('/') + 1);
    stem.remove_suffix(3);
    if (same_word(stem, "README")) continue;
    const auto [first, added] = seen.emplace(stem, file);
    if (!added)
      findings.add(RuleId::duplicate_stem, file, 0,
                   fmt::format("the name {} is used by {} too", quote(stem), quote(first->second)));
  }
}

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
      findings_.add_of_record(RuleId::unreadable_file, entry.path, 0, "the file cannot be read");
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

void check_files(const Artifact& artifact, const SafeRoot& root, Findings& findings) {
  check_mandatory(root, findings);
  check_kinds(artifact, findings);
  check_stems(artifact, findings);
}

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

#include "artifacts/read/findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::size_t listed_per_rule = 1000;
constexpr std::size_t longest_what = 400;
constexpr std::size_t longest_file = 300;

using enum Severity;

/// A rule's name with dashes.
template <std::size_t N>
struct Id {
  constexpr explicit Id(const char (&name)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = name[i] == '_' ? '-' : name[i];
  }
  char text[N]{};
};

#define ETUDE_RULE(name, ...) constexpr Id name##_id(#name);
#include "artifacts/read/rules.def"

constexpr Rule table[] = {
#define ETUDE_RULE(name, severity, mend) {RuleId::name, name##_id.text, severity, mend},
#include "artifacts/read/rules.def"
};

struct Twin {
  RuleId rule;
  std::string_view codes;
};

/// Rules of etude that say what published rules say, too.
constexpr Twin twins[] = {
    {RuleId::missing_file, "ARA101 ARA215"},
    {RuleId::invalid_utf8, "ARA101"},
    {RuleId::too_deep, "ARA100"},
    {RuleId::too_large, "ARA100"},
    {RuleId::bad_yaml, "ARA100 ARA210"},
    {RuleId::control_characters, "ARA100"},
    {RuleId::duplicate_key, "ARA100 ARA210"},
    {RuleId::front_matter, "ARA210"},
    {RuleId::ambiguous_root, "ARA102 ARA103"},
    {RuleId::legacy_root, "ARA001"},
    {RuleId::empty_tree, "ARA202"},
    {RuleId::bad_node, "ARA104 ARA100"},
    {RuleId::duplicate_id, "ARA105 ARA106"},
    {RuleId::unknown_node_type, "ARA203"},
    {RuleId::unknown_node_key, "ARA200 ARA201"},
    {RuleId::dialect_key, "ARA002 ARA003 ARA005 ARA006 ARA007"},
    {RuleId::dialect_header, "ARA004"},
    {RuleId::unknown_node, "ARA108"},
    {RuleId::cycle, "ARA110"},
    {RuleId::redundant_edge, "ARA208 ARA209"},
    {RuleId::unknown_claim, "ARA107 ARA109 ARA207"},
    {RuleId::missing_field, "ARA211 ARA212"},
    {RuleId::duplicate_stem, "ARA213"},
    {RuleId::unindexed_file, "ARA214"},
};

std::string_view codes_of(RuleId rule) {
  for (const Twin& twin : twins)
    if (twin.rule == rule) return twin.codes;
  return {};
}

/// These codes occur once in a file, and two readers may name different lines for them.
bool occurs_once(std::string_view code) {
  return code == "ARA100" || code == "ARA101" || code == "ARA102" || code == "ARA103" || code == "ARA210";
}

}  // namespace

std::string_view name_of(Severity severity) {
  static constexpr std::string_view names[] = {"info", "warning", "error", "critical"};
  static_assert(std::size(names) == static_cast<std::size_t>(Severity::critical) + 1);
  return names[static_cast<std::size_t>(severity)];
}

const Rule& rule_of(RuleId rule) {
  return table[static_cast<std::size_t>(rule)];
}

std::span<const Rule> check_rules() {
  return std::span(table).first(static_cast<std::size_t>(RuleId::no_record));
}

std::span<const Rule> audit_rules() {
  return std::span(table).subspan(static_cast<std::size_t>(RuleId::no_record));
}

void Findings::add(RuleId rule, std::string_view file, int line, std::string_view what) {
  put(rule_of(rule), rule_of(rule).severity, file, line, what, false);
}

void Findings::add_as(Severity severity, RuleId rule, std::string_view file, int line, std::string_view what) {
  put(rule_of(rule), severity, file, line, what, false);
}

void Findings::add_fixable(RuleId rule, std::string_view file, int line, std::string_view what) {
  put(rule_of(rule), rule_of(rule).severity, file, line, what, true);
}

void Findings::add_of_record(RuleId rule, std::string_view file, int line, std::string_view what) {
  put(rule_of(rule), rule_of(rule).severity, file, line, what, false, true);
}

void Findings::put(const Rule& rule, Severity severity, std::string_view file, int line, std::string_view what,
                   bool fixable, bool of_record) {
  std::string same_as;
  bool error_there = false;
  for (std::string_view codes = codes_of(rule.rule); !codes.empty() && !said_.empty();) {
    const std::string_view code = codes.substr(0, codes.find(' '));
    codes.remove_prefix(std::min(code.size() + 1, codes.size()));
    const auto said = said_.find({std::string(file), std::string(code)});
    if (said == said_.end()) continue;
    const std::vector<Said>& places = said->second;
    const auto place = occurs_once(code) ? places.begin() : std::ranges::lower_bound(places, line, {}, &Said::line);
    if (place == places.end() || (place->line != line && !occurs_once(code))) continue;
    same_as = code;
    error_there = place->severity == Severity::error;
    break;
  }
  if (deferring_ && severity == Severity::error && !error_there && !of_record) severity = Severity::warning;
  per_rule_.resize(std::size(table));
  list({std::string(rule.id), severity, std::string(file), line,
        fmt::format("{}: {}", printable(shortened(what, longest_what)), rule.mend), fixable, false, std::move(same_as)},
       per_rule_[static_cast<std::size_t>(rule.rule)]);
}

void Findings::add_published(const PublishedFinding& finding) {
  std::vector<Said>& places = said_[{std::string(finding.file), std::string(finding.code)}];
  const auto place = std::ranges::lower_bound(places, finding.line, {}, &Said::line);
  if (place == places.end() || place->line != finding.line) places.insert(place, {finding.line, finding.severity});
  list({std::string(finding.code),
        finding.severity,
        std::string(finding.file),
        finding.line,
        fmt::format("{}: {}", printable(shortened(finding.what, longest_what)), finding.mend),
        finding.fixable,
        true,
        {}},
       per_code_[std::string(finding.code)]);
}

void Findings::list(Finding finding, std::size_t& of_its_rule) {
  if (finding.same_as.empty()) ++counts_[static_cast<std::size_t>(finding.severity)];
  if (++of_its_rule > listed_per_rule) return;
  finding.file = printable(shortened(finding.file, longest_file));
  list_.push_back(std::move(finding));
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> result = list_;
  std::ranges::stable_sort(
      result, [](const Finding& a, const Finding& b) { return a.file != b.file ? a.file < b.file : a.line < b.line; });
  const auto say_more = [&](std::string_view rule, std::size_t all, bool published) {
    if (all > listed_per_rule)
      result.push_back({std::string(rule),
                        Severity::info,
                        "",
                        0,
                        fmt::format("{} more findings of this rule are counted but not listed", all - listed_per_rule),
                        false,
                        published,
                        {}});
  };
  for (std::size_t i = 0; i < per_rule_.size(); ++i) say_more(table[i].id, per_rule_[i], false);
  for (const auto& [code, all] : per_code_) say_more(code, all, true);
  return result;
}

}  // namespace artifacts

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

void Findings::put(const Rule& rule, Severity severity, std::string_view file, int line, std::string_view what,
                   bool fixable) {
  ++counts_[static_cast<std::size_t>(severity)];
  per_rule_.resize(std::size(table));
  if (++per_rule_[static_cast<std::size_t>(rule.rule)] > listed_per_rule) return;
  list_.push_back({std::string(rule.id), severity, printable(shortened(file, longest_file)), line,
                   fmt::format("{}: {}", printable(shortened(what, longest_what)), rule.mend), fixable});
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> result = list_;
  std::ranges::stable_sort(
      result, [](const Finding& a, const Finding& b) { return a.file != b.file ? a.file < b.file : a.line < b.line; });
  for (std::size_t i = 0; i < per_rule_.size(); ++i)
    if (per_rule_[i] > listed_per_rule)
      result.push_back(
          {std::string(table[i].id), Severity::info, "", 0,
           fmt::format("{} more findings of this rule are counted but not listed", per_rule_[i] - listed_per_rule),
           false});
  return result;
}

}  // namespace artifacts

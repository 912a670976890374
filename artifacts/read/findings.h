#pragma once
// The rules of `check` and `audit` with their severities and remedies, and the findings of readers and rules. There are
// two voices: the format's published checker, and etude's own rules. Text from the artifact is untrusted: Findings
// makes every message printable, and limits its length and the number of findings per rule. Knows nothing of how a rule
// is checked.

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace artifacts {

enum class Severity { info, warning, error, critical };

std::string_view name_of(Severity severity);

enum class RuleId {
#define ETUDE_RULE(name, ...) name,
#include "artifacts/read/rules.def"
};

struct Rule {
  RuleId rule;
  std::string_view id;  ///< Never changes, because scripts use it.
  Severity severity;    ///< The default; a single finding may have a lower one.
  std::string_view mend;
};

const Rule& rule_of(RuleId rule);
std::span<const Rule> check_rules();
/// In addition to those of `check`, which an audit applies too.
std::span<const Rule> audit_rules();

struct Finding {
  std::string rule;  ///< Its id; of the published checker, its code.
  Severity severity = Severity::error;
  std::string file;  ///< Below the artifact's root.
  int line = 0;      ///< 1-based; 0 for the file as a whole.
  std::string message;
  bool fixable = false;    ///< `--fix` can correct it without changing anything else.
  bool published = false;  ///< The published checker says it, not etude alone.
  std::string same_as;     ///< The code with which the published checker says the same; not counted then.
};

/// A finding of the published checker.
struct PublishedFinding {
  std::string_view code;
  Severity severity;
  std::string_view file;
  int line;
  std::string_view what, mend;
  bool fixable;
};

class Findings {
 public:
  /// The message becomes `what: remedy of the rule`.
  void add(RuleId rule, std::string_view file, int line, std::string_view what);
  void add_as(Severity severity, RuleId rule, std::string_view file, int line, std::string_view what);
  void add_fixable(RuleId rule, std::string_view file, int line, std::string_view what);

  /// Stays an error in `check` without --strict. Used where the artifact contradicts etude.json, and for files that
  /// cannot be read.
  void add_of_record(RuleId rule, std::string_view file, int line, std::string_view what);

  /// Must come before what etude says of the same place.
  void add_published(const PublishedFinding& finding);
  /// From here on, errors of etude's own rules are warnings, unless the published checker says the same as an error.
  void defer_to_published() { deferring_ = true; }

  /// Without those that only say again what the published checker says.
  std::size_t count(Severity severity) const { return counts_[static_cast<std::size_t>(severity)]; }
  /// By file and line; for a rule with too many findings, the last line says how many more there are.
  std::vector<Finding> sorted() const;

 private:
  void put(const Rule& rule, Severity severity, std::string_view file, int line, std::string_view what, bool fixable,
           bool of_record = false);
  /// Counts it, and lists it if there are not too many of its rule.
  void list(Finding finding, std::size_t& of_its_rule);

  struct Said {
    int line;
    Severity severity;
  };

  bool deferring_ = false;
  std::map<std::pair<std::string, std::string>, std::vector<Said>> said_;  ///< By file and published code.
  std::map<std::string, std::size_t> per_code_;
  std::vector<Finding> list_;
  std::vector<std::size_t> per_rule_;
  std::array<std::size_t, 4> counts_{};
};

}  // namespace artifacts

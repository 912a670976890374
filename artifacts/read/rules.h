#pragma once
// The table of all rules of `check` and `audit`: id, default severity, and one sentence with the remedy. Knows nothing
// of how a rule is checked.

#include <span>
#include <string_view>

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
std::span<const Rule> all_rules();
std::span<const Rule> check_rules();
/// In addition to those of `check`, which an audit applies too.
std::span<const Rule> audit_rules();

}  // namespace artifacts

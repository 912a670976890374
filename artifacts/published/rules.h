#pragma once
// The rules of the format's published checker: code, severity, meaning, remedy. Knows nothing of how a rule is checked.
// A list in rules.def is its only source.

#include <optional>
#include <span>
#include <string_view>

#include "artifacts/read/findings.h"

namespace artifacts::published {

enum class Code {
#define PUBLISHED_RULE(number, ...) ARA##number,
#include "artifacts/published/rules.def"
};

struct PublishedRule {
  Code code;
  std::string_view name;  ///< "ARA105". Never changes.
  Severity severity;      ///< `error` or `warning`, if no configuration says otherwise.
  bool fixable;
  std::string_view meaning;
  std::string_view mend;
};

/// In the order of their codes.
std::span<const PublishedRule> rules();
const PublishedRule& rule_of(Code code);

}  // namespace artifacts::published

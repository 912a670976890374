#pragma once
// The changes of `etude check --fix`: keys and headers in the spelling of an older dialect, and no other byte. If the
// changed text does not parse to what was intended, the text stays as it was. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "artifacts/read/rules.h"

namespace artifacts {

struct SpellingFix {
  RuleId rule;
  int line = 0;
  std::string what;  ///< Such as "`reason` → `why_failed`".
};

struct Respelled {
  std::string bytes;               ///< The whole file; unchanged if nothing is fixed.
  std::vector<SpellingFix> fixes;  ///< Those that were made.
  std::string left;                ///< Why the file was left as it was although something could be fixed; else empty.
};

/// trace/exploration_tree.yaml: `root:` becomes `tree:`, and aliases in dead ends, decisions and pivots become the
/// canonical keys. Skips nodes that also have the canonical key, or a key twice.
Respelled respell_tree(std::string_view bytes);
/// logic/claims.md: `## C01 — title` becomes `## C01: title`.
Respelled respell_claims(std::string_view bytes);

}  // namespace artifacts

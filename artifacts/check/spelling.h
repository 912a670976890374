#pragma once
// What `etude check --fix` changes: the spelling of keys and headers that an older dialect wrote, and no other byte.
// Each fix is guarded: what the changed text parses to must be what was meant, or the text stays as it was. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "artifacts/read/rules.h"

namespace artifacts {

struct SpellingFix {
  RuleId rule;
  int line = 0;
  std::string what;  ///< "`reason` → `why_failed`"
};

struct Respelled {
  std::string bytes;               ///< The whole file; as it was where nothing is fixed.
  std::vector<SpellingFix> fixes;  ///< Those that were made.
  std::string left;                ///< Why the file was left as it was though something could be fixed; else empty.
};

/// trace/exploration_tree.yaml: `root:` becomes `tree:`, and the aliases of dead ends, decisions and pivots their
/// canonical keys, but for nodes that have these too or say a key twice.
Respelled respell_tree(std::string_view bytes);
/// logic/claims.md: `## C01 — title` becomes `## C01: title`.
Respelled respell_claims(std::string_view bytes);

}  // namespace artifacts

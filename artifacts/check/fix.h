#pragma once
// `etude check --fix`: gives keys and headers of an older dialect their present spelling, in two files and in no other
// byte. A file is replaced atomically; if the changed text does not parse to what was intended, it stays as it was.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/read/findings.h"
#include "base/result.h"

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

struct FixedPlace {
  std::string rule;
  std::string file;
  int line = 0;
  std::string message;
};

struct FixReport {
  std::vector<FixedPlace> fixed;
  std::vector<FixedPlace> left;  ///< Files that could not be corrected, with the reason; line 0.
};

/// A problem only if the path is no directory.
kernel::Result<FixReport> fix(const std::string& path);

/// `fixed` and `left`, each a list of {"rule","file","line","message"}, in addition to the members of the `check`
/// object.
nlohmann::json to_json(const FixReport&);
/// One line `fixed file:line rule what` per place.
std::string to_text(const FixReport&);

}  // namespace artifacts

#pragma once
// `etude check --fix`: gives keys and headers of an older dialect their present spelling, in two files and in no other
// byte. A file is replaced atomically; if the changed text does not parse to what was intended, it stays as it was.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/published/configuration.h"
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

/// trace/exploration_tree.yaml: `root:` becomes `tree:`, a single node below it a list of one, and aliases in dead
/// ends, decisions and pivots become the canonical keys. Skips nodes that also have the canonical key, or a key twice,
/// and what `allowed` does not let be corrected.
Respelled respell_tree(std::string_view bytes, const published::Configuration& allowed = {});
/// logic/claims.md: `## C01 — title` becomes `## C01: title`.
Respelled respell_claims(std::string_view bytes, const published::Configuration& allowed = {});

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

/// A problem only if the path is no directory, or if its `.ara-check.toml` cannot be read.
kernel::Result<FixReport> fix(const std::string& path, const published::ConfigurationChoice& choice = {});

/// `fixed` and `left`, each a list of {"rule","file","line","message"}, in addition to the members of the `check`
/// object.
nlohmann::json to_json(const FixReport&);
/// One line `fixed file:line rule what` per place.
std::string to_text(const FixReport&);

}  // namespace artifacts

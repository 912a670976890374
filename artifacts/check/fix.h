#pragma once
// `etude check --fix`: rewrites the two files whose older spellings a program can correct, below the given directory
// only. Each file is replaced atomically, or stays as it was.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace artifacts {

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

#pragma once
// What a reader or a rule has to say about one place of an artifact. Text that comes from the artifact is data:
// Findings makes every message printable and bounds it, and bounds how many findings one rule may list.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/read/rules.h"

namespace artifacts {

struct Finding {
  std::string rule;
  Severity severity = Severity::error;
  std::string file;  ///< Below the artifact's root.
  int line = 0;      ///< 1-based; 0: the file as a whole.
  std::string message;
  bool fixable = false;  ///< `--fix` can mend it without touching anything else.
};

class Findings {
 public:
  /// The message becomes `what: how to mend it`.
  void add(RuleId rule, std::string_view file, int line, std::string_view what);
  void add_as(Severity severity, RuleId rule, std::string_view file, int line, std::string_view what);
  void add_fixable(RuleId rule, std::string_view file, int line, std::string_view what);

  std::size_t count(Severity severity) const { return counts_[static_cast<std::size_t>(severity)]; }
  /// By file and line; a rule that found too much ends with one line that says how much more.
  std::vector<Finding> sorted() const;

 private:
  void put(const Rule& rule, Severity severity, std::string_view file, int line, std::string_view what, bool fixable);

  std::vector<Finding> list_;
  std::vector<std::size_t> per_rule_;
  std::array<std::size_t, 4> counts_{};
};

}  // namespace artifacts

#pragma once
// Findings of readers and rules about one position of an artifact. Text from the artifact is untrusted: Findings makes
// every message printable, and limits its length and the number of findings per rule.

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
  int line = 0;      ///< 1-based; 0 for the file as a whole.
  std::string message;
  bool fixable = false;  ///< `--fix` can correct it without changing anything else.
};

class Findings {
 public:
  /// The message becomes `what: remedy of the rule`.
  void add(RuleId rule, std::string_view file, int line, std::string_view what);
  void add_as(Severity severity, RuleId rule, std::string_view file, int line, std::string_view what);
  void add_fixable(RuleId rule, std::string_view file, int line, std::string_view what);

  std::size_t count(Severity severity) const { return counts_[static_cast<std::size_t>(severity)]; }
  /// By file and line; for a rule with too many findings, the last line says how many more there are.
  std::vector<Finding> sorted() const;

 private:
  void put(const Rule& rule, Severity severity, std::string_view file, int line, std::string_view what, bool fixable);

  std::vector<Finding> list_;
  std::vector<std::size_t> per_rule_;
  std::array<std::size_t, 4> counts_{};
};

}  // namespace artifacts

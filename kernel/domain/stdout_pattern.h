#pragma once
// The groups of a pattern that reads values from a job's output. One of them may be the step: `(?<step>[0-9]+)`, also
// spelled as in Python, `(?P<step>…)`. std::regex knows no names, so the pattern is rewritten for it. Pure.

#include <cstddef>
#include <string>

namespace kernel {

struct StdoutPattern {
  std::string regex;  ///< ECMAScript, with the step's group as an ordinary one.
  std::size_t value = 1;
  std::size_t step = 0;  ///< Its group; 0 if the pattern has none.
  /// Groups that the regular expression must have.
  std::size_t groups() const { return step > 0 ? 2 : 1; }
};

StdoutPattern stdout_pattern(const std::string& written);

}  // namespace kernel

#pragma once
// What the events of a code search carry: rounds of what is asked of engineers, and the versions of the code that came
// of it. Scores of versions are selection, never evidence.

#include <string>
#include <vector>

#include "kernel/records.h"

namespace kernel {

/// What an engineer is asked to do with the versions that a step begins with.
enum class CodeOperator { draft, debug, improve, ablate, merge };

/// One engineer's turn at the code. It ends with a version, or with none.
struct CodeStep {
  std::string id;  ///< "improve-4": the line of work's, too.
  CodeOperator op = CodeOperator::draft;
  std::vector<std::string> parents;  ///< Level names of the factor `code`; its branch begins with the first.
  int round = 1;
};

/// A node of the tree of versions, and a level of the factor `code` from then on.
struct CodeVersion {
  std::string id;  ///< "v4", of the step "improve-4"; `original_code` is the person's own.
  std::string step;
  CodeOperator op = CodeOperator::draft;
  std::vector<std::string> parents;
  std::string why;  ///< In the engineer's words.
  WorkspaceRecord workspace;
  BlobRef diff;  ///< Unified, against the person's own version.
};

}  // namespace kernel

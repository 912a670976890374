#pragma once
// What the events of a code search carry: rounds of what is asked of engineers, and the versions of the code that came
// of it. Scores of versions are selection, never evidence.

#include <optional>
#include <string>
#include <vector>

#include "kernel/domain/records.h"

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

/// What was known of a version when a round began: the same for all who work in it, whoever is quicker.
struct KnownScore {
  std::string version;  ///< `original_code`: the person's own.
  int n = 0, failed = 0;
  std::optional<double> mean;  ///< CodeScore::mean
};

}  // namespace kernel

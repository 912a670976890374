#pragma once
// Answers questions about one artifact from what stands in it: addresses with quotes, found by ids, fields and words.
// A question is read as one of the kinds that docs/editing.md lists; there is no model, and nothing is concluded. Pure;
// borrows the artifact and its passages.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts/find/passages.h"

namespace artifacts {

/// A line of the artifact, word for word; a long one is cut, with "…".
struct Quote {
  std::string field;  ///< Empty for prose.
  std::string text;
  int line = 0;
};

struct Answer {
  const ArtifactPassage* passage = nullptr;
  std::string why;  ///< How it answers: "the Proof of C03 names it".
  std::vector<Quote> quotes;
};

struct Answered {
  std::string read_as;  ///< How the question was understood.
  std::vector<Answer> answers;
};

Answered answer_question(const Artifact& artifact, const std::vector<ArtifactPassage>& passages,
                         std::string_view question);

}  // namespace artifacts

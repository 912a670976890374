#pragma once
// What somebody who reads an artifact is shown of it, and what a reader's scores are worth: each rests on quotations,
// and a quotation counts only where the page has it, word for word. Asks nobody. Scores are opinions: an artifact can
// talk to its reader, so they bear on no verdict and on no exit code.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace artifacts {

/// What level 2 of a review looks at, in its order.
inline constexpr std::array<std::string_view, 6> review_dimensions{
    "evidence_relevance", "falsifiability", "scope", "coherence", "exploration_integrity", "methodological_rigor"};

/// One page as it is shown: clean text, perhaps cut.
struct ReviewPage {
  std::string path;
  std::string text;
  std::size_t bytes = 0;  ///< Of the whole page.
};

struct ReviewPages {
  std::vector<ReviewPage> shown;
  std::vector<std::string> left_out;  ///< Pages there was no room for.
};

/// The claims first, then what they rest on; together at most so many bytes. Data, logs and code are not shown.
/// Refused where the path is no directory.
kernel::Result<ReviewPages> review_pages(const std::string& artifact, std::size_t most_bytes);

struct Quotation {
  std::string file;
  int line = 0;  ///< Where it begins, 1-based.
  std::string quote;
};

struct DimensionScore {
  std::string id;
  std::optional<int> score;  ///< 1 (poor) to 5; none without a quotation that holds.
  std::string reason;
  std::vector<Quotation> spans;
};

struct Review {
  std::string model;
  std::vector<DimensionScore> dimensions;  ///< All six, in order.
  std::vector<std::string> refused;        ///< What was not taken, and why: for whoever wrote it, too.
};

/// The JSON Schema of the answer, as text: what `read_review` reads.
std::string review_schema();

/// Never fails: what cannot be read is among the refused, and its dimension has no score. White space in a quotation is
/// as good as other white space; nothing else differs from the page.
Review read_review(std::string_view answer, const ReviewPages&);

/// The `review` member of `audit --json` and of the report.
nlohmann::json to_json(const Review&);
/// A line per dimension, for a terminal once made printable.
std::string to_text(const Review&);

}  // namespace artifacts

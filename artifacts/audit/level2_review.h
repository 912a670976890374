#pragma once
// The level 2 review of an audited artifact: the pages that a reviewer sees, the check of the reviewer's scores, and
// the report. A score needs quotations, which count only if the page contains them word for word. Scores are opinions
// that the artifact's text may influence, so they change no verdict and no exit code. Calls no model.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "artifacts/check/check.h"
#include "base/result.h"

namespace artifacts {

/// The dimensions of a level 2 review, in order.
inline constexpr std::array<std::string_view, 6> review_dimensions{
    "evidence_relevance", "falsifiability", "scope", "coherence", "exploration_integrity", "methodological_rigor"};

/// One page as the reviewer sees it: cleaned, perhaps cut.
struct ReviewPage {
  std::string path;
  std::string text;
  std::size_t bytes = 0;  ///< Of the whole page.
};

struct ReviewPages {
  std::vector<ReviewPage> shown;
  std::vector<std::string> left_out;  ///< Pages that did not fit.
};

/// The claims, then the pages that support them, together at most `most_bytes`. Without data, logs and code. A problem
/// if the path is no directory.
kernel::Result<ReviewPages> review_pages(const std::string& artifact, std::size_t most_bytes);

struct Quotation {
  std::string file;
  int line = 0;  ///< Where it begins, 1-based.
  std::string quote;
};

struct DimensionScore {
  std::string id;
  std::optional<int> score;  ///< 1 (poor) to 5; none without a valid quotation.
  std::string reason;
  std::vector<Quotation> spans;
};

struct Review {
  std::string model;
  std::vector<DimensionScore> dimensions;  ///< All six, in order.
  std::vector<std::string> refused;        ///< What was not accepted and why, also for the reviewer.
};

/// The JSON Schema of the answer that `read_review` reads, as text.
std::string review_schema();

/// Never fails: what cannot be read is added to `refused`, and its dimension has no score. Quotations may differ from
/// the page only in white space.
Review read_review(std::string_view answer, const ReviewPages&);

/// The `review` member of `audit --json` and of the report.
nlohmann::json to_json(const Review&);
/// A line per dimension; make it printable before showing it on a terminal.
std::string to_text(const Review&);

/// The findings by dimension, in the form of an artifact's level2_report.json. `review`: by a model; without one
/// (null), scores and spans are empty.
nlohmann::json level2_report(const CheckReport&, const std::string& tool_version, const Review* review = nullptr);

}  // namespace artifacts

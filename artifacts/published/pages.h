#pragma once
// What the published checker reads of an artifact, as texts; and what it finds. Plain values. Files that lead out of
// the artifact are not read, which is the one difference to the published checker.

#include <optional>
#include <string>
#include <vector>

#include "artifacts/published/rules.h"
#include "artifacts/read/safe_root.h"

namespace artifacts::published {

/// A page of evidence/figures, proofs, results or tables: "tables" and "table1" of evidence/tables/table1.md.
struct EvidencePage {
  std::string category;
  std::string stem;
};

/// None: the file does not exist, or is not valid UTF-8.
struct Pages {
  std::optional<std::string> tree;
  std::optional<std::string> claims;
  std::optional<std::string> paper;
  std::optional<std::string> concepts;
  std::optional<std::string> related_work;
  std::optional<std::string> evidence_index;
  std::vector<EvidencePage> evidence;  ///< By category, then by name.
};

inline constexpr const char* tree_file = "trace/exploration_tree.yaml";
inline constexpr const char* claims_file = "logic/claims.md";
inline constexpr const char* paper_file = "PAPER.md";
inline constexpr const char* concepts_file = "logic/concepts.md";
inline constexpr const char* related_work_file = "logic/related_work.md";
inline constexpr const char* evidence_index_file = "evidence/README.md";

/// `files`: all of the artifact.
Pages read_pages(const SafeRoot& root, const Listing& files);

struct PublishedFact {
  Code code;
  std::string file;
  int line = 0;  ///< 1-based; 0 for the file as a whole.
  std::string what;
};

}  // namespace artifacts::published

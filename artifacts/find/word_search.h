#pragma once
// Ranks passages by the words of a query with BM25, and quotes the line that says most of it. Words are compared
// without case, accents and English endings. Pure; borrows the passages.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "artifacts/find/passages.h"

namespace artifacts {

/// A passage that was found, with a line of it word for word, or its title if it has no text; a long line is cut around
/// the words, with "…".
struct WordHit {
  const ArtifactPassage* passage = nullptr;
  double score = 0;
  double share = 0;   ///< Of the wanted words, by weight.
  std::string field;  ///< The field of the quoted line; empty for prose and titles.
  std::string quote;
  int line = 0;
};

class WordSearch {
 public:
  explicit WordSearch(std::span<const ArtifactPassage> passages);

  /// Those with at least one of the words, the best first. Robertson and Zaragoza, "The Probabilistic Relevance
  /// Framework: BM25 and Beyond" (2009), with k1 = 1.2 and b = 0.75; a word of the title counts as two. A query that
  /// is an address has that passage first.
  std::vector<WordHit> find(std::string_view query) const;
  /// The line of the passage that has most of the wanted words, or its first line if none has any.
  WordHit quoted(const ArtifactPassage& passage, const std::vector<std::string>& wanted) const;
  /// How much a word tells; a word that occurs nowhere tells most.
  double weight(const std::string& word) const;

 private:
  struct Posting {
    std::size_t passage;
    double count;
  };

  std::span<const ArtifactPassage> passages_;
  std::vector<double> lengths_;
  double average_length_ = 1;
  std::unordered_map<std::string, std::vector<Posting>> postings_;
};

/// In bytes.
inline constexpr std::size_t longest_quote = 240;

/// At most `limit` bytes of the text around `at`.
std::string excerpt_around(std::string_view text, std::size_t at, std::size_t limit);

}  // namespace artifacts

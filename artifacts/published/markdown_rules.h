#pragma once
// What the published checker takes from Markdown pages: claims, concepts, related work, the rows of the evidence index.
// It reads line by line and knows no fences or comments; so do these functions.

#include <string>
#include <string_view>
#include <vector>

#include "artifacts/published/pages.h"

namespace artifacts::published {

/// "C", digits and nothing else.
bool is_claim_id(std::string_view text);

/// The lines of a text, without their ends.
std::vector<std::string_view> lines_in(std::string_view text);

struct PublishedClaim {
  std::string id;
  int line = 0;
  std::vector<std::string> depends_on;
  int dependencies_line = 0;
};

struct Claims {
  std::vector<PublishedClaim> claims;    ///< The first one of each id.
  std::vector<PublishedClaim> repeated;  ///< Those whose id was taken.
};
Claims claims_in(std::string_view text);

/// ARA211 and ARA212.
void judge_concepts(std::string_view text, std::vector<PublishedFact>& found);
void judge_related_work(std::string_view text, std::vector<PublishedFact>& found);
/// ARA210.
void judge_paper(std::string_view text, std::vector<PublishedFact>& found);
/// ARA213, ARA214, ARA215.
void judge_evidence(const Pages& pages, std::vector<PublishedFact>& found);

}  // namespace artifacts::published

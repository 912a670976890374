#pragma once
// The published rules about the exploration tree: ids, types and their keys, references, edges. Works on a tree that
// loads (load_tree.h), and on the text for old spellings, which may be there in a tree that does not.

#include <string_view>
#include <vector>

#include "artifacts/published/load_tree.h"
#include "artifacts/published/markdown_rules.h"
#include "artifacts/published/pages.h"

namespace artifacts::published {

/// ARA102 to ARA110 and ARA200 to ARA209. `claims`: null if there is no logic/claims.md.
void judge_tree(const LoadedTree& tree, const Claims* claims, std::vector<PublishedFact>& found);

/// ARA001 to ARA003 and ARA005 to ARA007, by lines and columns: a key counts if it stands on a line of its own in a
/// node that starts with "- ".
void judge_spelling(std::string_view text, std::vector<PublishedFact>& found);
/// ARA004.
void judge_claim_headers(std::string_view text, std::vector<PublishedFact>& found);

}  // namespace artifacts::published

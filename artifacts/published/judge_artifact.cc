#include "artifacts/published/judge_artifact.h"

#include <algorithm>
#include <optional>

#include "artifacts/published/load_tree.h"
#include "artifacts/published/markdown_rules.h"
#include "artifacts/published/tree_rules.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts::published {

std::vector<PublishedFact> judge(const Pages& pages) {
  ParsedYaml tree;
  return judge(pages, tree);
}

std::vector<PublishedFact> judge(const Pages& pages, ParsedYaml& tree) {
  std::vector<PublishedFact> found;
  if (!pages.tree) {
    found.push_back({Code::ARA101, tree_file, 0, "the tree is missing, or cannot be read as UTF-8"});
  } else {
    std::optional<Claims> claims;
    if (pages.claims) claims = claims_in(*pages.claims);
    const CleanText text = clean(*pages.tree);
    const auto loaded = load_tree(text.text, tree);
    if (text.control_line > 0)
      found.push_back({Code::ARA100, tree_file, text.control_line, "a control character stands in the YAML"});
    else if (const auto* refused = std::get_if<Refused>(&loaded))
      found.push_back({Code::ARA100, tree_file, refused->line, refused->why});
    else
      judge_tree(std::get<LoadedTree>(loaded), claims ? &*claims : nullptr, found);
  }
  const bool sound = std::ranges::none_of(
      found, [](const PublishedFact& one) { return rule_of(one.code).severity == Severity::error; });
  if (sound) {
    if (pages.paper) judge_paper(*pages.paper, found);
    if (pages.concepts) judge_concepts(*pages.concepts, found);
    if (pages.related_work) judge_related_work(*pages.related_work, found);
    judge_evidence(pages, found);
  }
  if (pages.tree) judge_spelling(*pages.tree, found);
  if (pages.claims) judge_claim_headers(*pages.claims, found);
  return found;
}

}  // namespace artifacts::published

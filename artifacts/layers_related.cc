// The works that the study's texts cite, and the artifact that it re-runs.
#include <algorithm>

#include <fmt/format.h>

#include "artifacts/escaping.h"
#include "artifacts/layers.h"
#include "artifacts/study_words.h"
#include "kernel/cited.h"

namespace artifacts {

using kernel::Study;

namespace {

std::string related_field(const char* name, const std::string& escaped) {
  return fmt::format("- **{}**: {}\n", name, escaped);
}

std::string rerun_entry(const Study& study) {
  std::vector<std::string> claims;
  for (const kernel::Claim& claim : study.claims) claims.push_back(claim.id);
  return "## RW01: The artifact that this study re-runs\n" +
         related_field("DOI", "none; it was read from " + in_code(study.reproduces)) +
         related_field("Type", "baseline") +
         "- **Delta**:\n  - What changed: the machine and the time; the design is the registered one.\n"
         "  - Why: to see whether each claim holds again.\n" +
         related_field("Claims affected", claims.empty() ? "none" : listed(claims)) +
         related_field("Adopted elements", "code, design, seeds and hypotheses");
}

std::string identifier_of(const kernel::Work& work) {
  if (!work.doi.empty()) return in_code(work.doi);
  if (!work.arxiv.empty()) return "none; arXiv " + in_code(work.arxiv);
  return work.url.empty() ? "none" : "none; " + in_code(work.url);
}

std::string work_entry(int number, const kernel::CitedWork& cited) {
  return fmt::format("## RW{:02}: {}\n", number, in_markdown(cited.work->title)) +
         related_field("DOI", identifier_of(*cited.work)) + related_field("Type", "imports") +
         related_field("Key", in_code(cited.work->key)) +
         related_field("Source", in_markdown(kernel::described(*cited.work))) +
         "- **Delta**:\n  - What changed: not said; the text that cites it says what it is cited for.\n  - Why: cited "
         "in " +
         listed(cited.where) + ".\n" +
         related_field("Claims affected", cited.claims.empty() ? "none" : listed(cited.claims)) +
         related_field("Adopted elements", "none recorded");
}

}  // namespace

std::string related_work_page(const Study& study) {
  std::string page = "# Related Work\n\n";
  const std::vector<kernel::CitedWork> cited = kernel::cited_works(study);
  if (study.reproduces.empty() && cited.empty())
    return page + (study.spec.literature.works.empty()
                       ? "No work is cited: the study file lists no references, and nothing else may be cited.\n"
                       : "No work is cited.\n");
  int number = 0;
  if (!study.reproduces.empty()) page += rerun_entry(study), ++number;
  for (const kernel::CitedWork& work : cited) page += (number > 0 ? "\n" : "") + work_entry(number + 1, work), ++number;
  return page;
}

}  // namespace artifacts

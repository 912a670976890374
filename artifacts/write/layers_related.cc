// The works that the study's texts cite, and the artifacts that it reproduces or extends.
#include <algorithm>

#include <fmt/format.h>

#include "artifacts/read/recorded_workspace.h"
#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "kernel/binding/citations_used.h"
#include "prose/numbers.h"

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

std::string source_of(const kernel::CitedWork& cited) {
  std::string source = in_markdown(kernel::described(*cited.work));
  if (cited.work->type == "artifact") source += ", an artifact that was imported, by its own word";
  if (!cited.parts.empty()) source += ": " + in_code(fmt::format("{}", fmt::join(cited.parts, ", ")));
  return source;
}

/// The extended artifact, and what the study took from it.
std::string extended_entry(int number, const Study& study) {
  const kernel::Extended& extended = study.spec.extends;
  std::vector<std::string> claims, adopted;
  for (const kernel::Claim& claim : study.claims) claims.push_back(claim.id);
  if (!extended.workspace.empty()) adopted.push_back("its code, " + in_code(workspace_path(extended.workspace)));
  for (const auto& [factor, level] : extended.controls)
    if (const kernel::Factor* own = study.spec.factor(factor); own && own->baseline == level)
      adopted.push_back("the control " + in_code(factor + "=" + level));
  if (!extended.dead_ends.empty())
    adopted.push_back(prose::counted(static_cast<long long>(extended.dead_ends.size()), "dead end") +
                      ", not to be tried again");
  return fmt::format("## RW{:02}: {}\n", number, in_markdown(extended.title.empty() ? extended.id : extended.title)) +
         related_field("DOI", extended.doi.empty() ? "none" : in_markdown(extended.doi)) +
         related_field("Type", "extends") + related_field("Key", in_code(extended.id)) +
         related_field("Source",
                       "the artifact whose list of files has the SHA-256 " + in_code(extended.files) +
                           (extended.head.empty() ? "" : ", and whose event log ends with " + in_code(extended.head))) +
         fmt::format("- **Delta**:\n  - What changed: {}; the design is this study's.\n  - Why: {}\n",
                     extended.workspace.empty() ? "the code is this study's own" : "the code is the artifact's",
                     in_markdown(study.spec.question)) +
         related_field("Claims affected", claims.empty() ? "none" : listed(claims)) +
         related_field("Adopted elements", adopted.empty() ? "none" : listed(adopted));
}

std::string work_entry(int number, const kernel::CitedWork& cited) {
  return fmt::format("## RW{:02}: {}\n", number, in_markdown(cited.work->title)) +
         related_field("DOI", identifier_of(*cited.work)) + related_field("Type", "imports") +
         related_field("Key", in_code(cited.work->key)) + related_field("Source", source_of(cited)) +
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
  if (study.reproduces.empty() && study.spec.extends.empty() && cited.empty())
    return page + (study.spec.literature.works.empty()
                       ? "No work is cited: the study file lists no references, and nothing else may be cited.\n"
                       : "No work is cited.\n");
  int number = 0;
  if (!study.reproduces.empty()) page += rerun_entry(study), ++number;
  if (!study.spec.extends.empty()) page += (number > 0 ? "\n" : "") + extended_entry(number + 1, study), ++number;
  for (const kernel::CitedWork& work : cited) page += (number > 0 ? "\n" : "") + work_entry(number + 1, work), ++number;
  return page;
}

}  // namespace artifacts

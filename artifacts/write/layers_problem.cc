// The works that the study's texts cite, and the artifacts that it reproduces or extends.

#include <set>

#include <fmt/format.h>

#include "artifacts/read/record.h"
#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "kernel/binding/known_facts.h"
#include "kernel/inference/test_method.h"
#include "kernel/views/result_text.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Study;

namespace {

std::string field(const char* name, const std::string& escaped) {
  return fmt::format("- **{}**: {}\n", name, escaped);
}

/// Those of the methods by which it tests.
std::set<std::string> assumptions(const Study& study) {
  std::set<std::string> all;
  for (const kernel::HypothesisRecord& record : study.hypotheses)
    if (const auto assumed = kernel::method_used(study.spec, record).assumption()) all.insert(*assumed);
  return all;
}

std::string experiment_ids(const Study& study) {
  std::vector<kernel::ExperimentId> ids;
  for (const kernel::Experiment& e : study.experiments) ids.push_back(e.registration.experiment);
  return ids.empty() ? "none was registered" : listed(ids);
}

std::string all_claims(const Study& study) {
  std::vector<std::string> ids;
  for (const kernel::Claim& claim : study.claims) ids.push_back(claim.id);
  return ids.empty() ? "none" : listed(ids);
}

std::string rerun_entry(const Study& study) {
  return "## RW01: The artifact that this study re-runs\n" +
         field("DOI", "none; it was read from " + in_code(study.reproduces)) + field("Type", "baseline") +
         "- **Delta**:\n  - What changed: the machine and the time; the design is the registered one.\n"
         "  - Why: to see whether each claim holds again.\n" +
         field("Claims affected", all_claims(study)) + field("Adopted elements", "code, design, seeds and hypotheses");
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
  std::vector<std::string> adopted;
  if (!extended.workspace.empty()) adopted.push_back("its code, " + in_code(workspace_path(extended.workspace.text())));
  for (const auto& [factor, level] : extended.controls)
    if (const kernel::Factor* own = study.spec.factor(factor); own && own->baseline == level)
      adopted.push_back("the control " + in_code(factor + "=" + level));
  if (!extended.dead_ends.empty())
    adopted.push_back(prose::counted(static_cast<long long>(extended.dead_ends.size()), "dead end") +
                      ", not to be tried again");
  return fmt::format("## RW{:02}: {}\n", number, in_markdown(extended.title.empty() ? extended.id : extended.title)) +
         field("DOI", extended.doi.empty() ? "none" : in_markdown(extended.doi)) + field("Type", "extends") +
         field("Key", in_code(extended.id)) +
         field("Source",
               "the artifact whose list of files has the SHA-256 " + in_code(extended.files) +
                   (extended.head.empty() ? "" : ", and whose event log ends with " + in_code(extended.head))) +
         fmt::format("- **Delta**:\n  - What changed: {}; the design is this study's.\n  - Why: {}\n",
                     extended.workspace.empty() ? "the code is this study's own" : "the code is the artifact's",
                     in_markdown(study.spec.question)) +
         field("Claims affected", all_claims(study)) +
         field("Adopted elements", adopted.empty() ? "none" : listed(adopted));
}

std::string work_entry(int number, const kernel::CitedWork& cited) {
  return fmt::format("## RW{:02}: {}\n", number, in_markdown(cited.work->title)) +
         field("DOI", identifier_of(*cited.work)) + field("Type", "imports") + field("Key", in_code(cited.work->key)) +
         field("Source", source_of(cited)) +
         "- **Delta**:\n  - What changed: not said; the text that cites it says what it is cited for.\n  - Why: cited "
         "in " +
         listed(cited.where) + ".\n" + field("Claims affected", cited.claims.empty() ? "none" : listed(cited.claims)) +
         field("Adopted elements", "none recorded");
}

}  // namespace

std::string problem_page(const Study& study) {
  std::string page = "# Problem\n\n## Observations\n\n### O1: The question is open\n";
  page += field("Statement", "The study asks: " + in_markdown(study.spec.question));
  page += field("Evidence", "The study file, src/study.yaml, which is all that was recorded of what came before.");
  page +=
      field("Implication", fmt::format("An answer needs {}, judged by registered runs.",
                                       prose::counted(static_cast<long long>(study.hypotheses.size()), "hypothesis")));
  std::vector<std::string> observations = {"O1"};
  for (const kernel::HypothesisRecord& record : study.hypotheses) {
    const kernel::Hypothesis& h = record.hypothesis;
    if (h.mechanism.empty()) continue;
    const std::string id = fmt::format("O{}", observations.size() + 1);
    observations.push_back(id);
    page += fmt::format("\n### {}: The mechanism expected behind {}\n", id, in_markdown(h.id.text()));
    page += field("Statement", in_markdown(h.mechanism));
    page += field("Evidence", fmt::format("Stated beforehand with {} in src/study.yaml; the study measures what should "
                                          "follow from it, not the mechanism itself.",
                                          in_markdown(h.id.text())));
    page += field("Implication", in_markdown(h.statement));
  }
  page += "\n## Gaps\n\n### G1: No measurement under these conditions\n";
  page += field("Statement", "Nothing recorded here says how the hypotheses fare for this code, data and environment.");
  page += field("Caused by", "O1");
  const bool extends = study.reproduces.empty() && !study.spec.extends.empty();
  page += field("Existing attempts", !study.reproduces.empty() ? "This study re-runs the artifact that RW01 names."
                                     : extends                 ? "This study extends the artifact that RW01 names."
                                               : "None is recorded: the study file names no earlier work.");
  page += field("Why they fail", extends                    ? "What that artifact tried in vain is listed in it."
                                 : study.reproduces.empty() ? "Not known: no earlier attempt is recorded."
                                                            : "Whether it does is what the re-run shows.");
  page += "\n## Key Insight\n";
  page += field("Insight",
                "Each hypothesis is turned into one contrast whose metric, arms, direction and margin are fixed "
                "before its runs exist, so that the evidence can go against it.");
  page += field("Derived from", listed(observations));
  page += field("Enables", experiment_ids(study));
  page += "\n## Assumptions\n";
  page += "- A1: Runs with different seeds are independent of one another.\n";
  page += study.spec.design.order == kernel::Order::random
              ? "- A2: Whatever else changes on the machine while the runs last is spread over the arms by the random "
                "order.\n"
              : "- A2: Nothing else changes on the machine while the runs last: the order is as listed, not random.\n";
  int number = 3;
  for (const std::string& assumed : assumptions(study)) page += fmt::format("- A{}: {}\n", number++, assumed);
  return page;
}

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

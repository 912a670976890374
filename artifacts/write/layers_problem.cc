#include <set>

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
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
  std::vector<std::string> ids;
  for (const kernel::Experiment& e : study.experiments) ids.push_back(e.registration.experiment);
  return ids.empty() ? "none was registered" : listed(ids);
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
    page += fmt::format("\n### {}: The mechanism expected behind {}\n", id, in_markdown(h.id));
    page += field("Statement", in_markdown(h.mechanism));
    page += field("Evidence", fmt::format("Stated beforehand with {} in src/study.yaml; the study measures what should "
                                          "follow from it, not the mechanism itself.",
                                          in_markdown(h.id)));
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

}  // namespace artifacts

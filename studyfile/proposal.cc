#include "studyfile/proposal.h"

#include <algorithm>

#include "studyfile/hypotheses/hypotheses.h"
#include "studyfile/yaml/yaml_file.h"

namespace studyfile {

kernel::Result<kernel::Hypothesis> read_proposal(const std::string& text, const kernel::StudySpec& spec,
                                                 const std::vector<kernel::Hypothesis>& known) {
  const kernel::Result<YamlNode> root = read_yaml_text(text, "", "hypothesis");
  if (!root) return root.problem();
  Problems problems("");
  Draft draft;
  draft.spec = spec;
  draft.spec.hypotheses = known;
  draft.all_factors = draft.all_metrics = true;
  for (const kernel::Metric& metric : spec.metrics) draft.with_goal.insert(metric.name);
  read_hypothesis(Value(*root, root->place, "", "", problems), draft);
  if (!problems.empty()) {
    kernel::Problem problem = problems.first();
    problem.line = 0;  // The text was one line of JSON.
    return problem;
  }
  kernel::Hypothesis hypothesis = std::move(draft.spec.hypotheses.back());
  hypothesis.line = 0;
  return hypothesis;
}

}  // namespace studyfile

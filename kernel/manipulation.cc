#include "kernel/manipulation.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernel {

namespace {

bool same_values(const Run& a, const Run& b) {
  const auto& left = a.measurement.values;
  const auto& right = b.measurement.values;
  return left.size() == right.size() && std::all_of(left.begin(), left.end(), [&](const auto& entry) {
           const auto it = right.find(entry.first);
           return it != right.end() && it->second.value == entry.second.value &&
                  it->second.censored == entry.second.censored && it->second.worst == entry.second.worst;
         });
}

}  // namespace

ManipulationChecked judge_manipulation(const Study& study) {
  ManipulationChecked check;
  const Run* reference = nullptr;
  std::vector<const Run*> flipped;
  for (const Run& run : study.runs) {
    if (run.purpose != Purpose::smoke || run.superseded || !run.stage.empty()) continue;
    if (run.number <= study.batch.amended_at) continue;  // Of other code.
    if (run.label == "reference")
      reference = &run;
    else
      flipped.push_back(&run);
    if (run.state != RunState::succeeded)
      check.findings.push_back(
          {run.label, fmt::format("smoke run {} did not succeed: {}", study.run_id(run.number), run.reason), true});
    else if (run.measurement.malformed > 0)
      check.findings.push_back({"metrics",
                                fmt::format("smoke run {} wrote {} malformed metric lines", study.run_id(run.number),
                                            run.measurement.malformed),
                                true});
  }
  if (!reference || reference->state != RunState::succeeded) return check;

  const bool all_deterministic = std::all_of(study.spec.metrics.begin(), study.spec.metrics.end(),
                                             [](const Metric& m) { return m.deterministic; });
  for (const Run* run : flipped) {
    if (run->state != RunState::succeeded) continue;
    const bool outputs_same = !run->output_digest.empty() && run->output_digest == reference->output_digest;
    // Only test data would score them: what there is to compare are the outputs.
    const bool scored = !run->measurement.values.empty() || !reference->measurement.values.empty();
    if (!outputs_same && !(scored && same_values(*run, *reference))) continue;
    if (run->label == "seed") {
      if (!all_deterministic)
        check.findings.push_back({"seed",
                                  "a new seed changed no metric: replicates may be copies of one another; if the "
                                  "metric does not depend on the seed, declare it `deterministic: true`",
                                  true});
      continue;
    }
    const std::string& from = study.cells[static_cast<std::size_t>(reference->cell)].at(run->label);
    const std::string& to = study.cells[static_cast<std::size_t>(run->cell)].at(run->label);
    check.findings.push_back(
        {run->label,
         fmt::format("changing `{}` from {} to {} changed {}: does the command use it?", run->label, from, to,
                     outputs_same ? "nothing in metrics and outputs" : "no metric"),
         true});
  }
  return check;
}

}  // namespace kernel

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "kernel/evidence/blocks.h"
#include "kernel/inference/estimate.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Metric;
using kernel::Study;

namespace {

std::string term(const std::string& name, const std::string& notation, const std::string& definition,
                 const std::string& bounds, const std::string& related) {
  return fmt::format(
      "\n## {}\n- **Notation**: {}\n- **Definition**: {}\n- **Boundary conditions**: {}\n- **Related concepts**: {}\n",
      in_markdown(name), in_markdown(notation), in_markdown(definition), in_markdown(bounds), in_markdown(related));
}

std::string metric_bounds(const Study& study, const Metric& m) {
  static constexpr const char* on_nan[] = {"a value that is not finite fails the run",
                                           "a value that is not finite counts as the worst outcome",
                                           "from the first value that is not finite on, the run is censored"};
  std::string text = on_nan[static_cast<std::size_t>(m.on_nan)];
  if (m.censor_right) text += "; a run that times out took at least as long as any that ended";
  if (m.deterministic) text += "; declared deterministic: compared exactly, on exactly these inputs";
  for (const kernel::Guard& guard : study.spec.guards) {
    if (guard.metric != m.name) continue;
    if (guard.at_most) text += "; a run above " + prose::rounded(*guard.at_most) + " is invalid";
    if (guard.at_least) text += "; a run below " + prose::rounded(*guard.at_least) + " is invalid";
  }
  return text;
}

bool used(const Study& study, const Metric& m) {
  const auto& hs = study.hypotheses;
  return m.primary || std::ranges::any_of(hs, [&](const auto& r) { return kernel::is_about(r.hypothesis, m.name); }) ||
         std::ranges::any_of(study.spec.guards, [&](const kernel::Guard& g) { return g.metric == m.name; });
}

}  // namespace

std::string concepts_page(const Study& study) {
  std::string page = "# Concepts\n";
  for (const Metric& m : study.spec.metrics) {
    if (!used(study, m)) continue;
    const std::string notation = m.name + (m.unit.empty() || m.unit == "1" ? "" : ", in " + m.unit);
    const std::string goal = m.goal == kernel::Goal::minimize ? "lower is better" : "higher is better";
    page += term("Metric " + m.name, notation, fmt::format("One value per run: {}; {}.", origin_text(m), goal),
                 metric_bounds(study, m), "Replicate, Verdict");
  }
  const bool paired = study.spec.design.pairing == kernel::Pairing::seed;
  if (kernel::in_blocks(study.spec))
    page += term("Block", "one of the " + kernel::blocks_words(study.spec),
                 "The unit of analysis. Every arm runs in every block; its runs there are averaged.",
                 "A sample of the blocks there could be: what is shown holds for such, not for each.",
                 "Replicate, Verdict");
  page += term(
      "Replicate", "one run of a cell with one seed",
      kernel::in_blocks(study.spec) ? "Part of a block's mean. The same seed is used once in every cell of a block."
      : paired ? "The unit of analysis. The same seed is used once in every cell, so that arms are compared seed by "
                 "seed."
               : "The unit of analysis. Every run has a seed of its own.",
      "Steps, items and repeats within a run are not replicates; a run repeated under the same seed replaces the "
      "earlier one.",
      "Registration");
  page += term("Registration", "E01 and so on, with a SHA-256",
               "What was fixed before the first run of an experiment: hypotheses, metrics, arms and cells, replicates, "
               "seeds, margins, command, workspace, environment and data.",
               "Only runs launched under a registration are evidence; smoke and pilot runs never are.",
               "Replicate, Verdict");
  page += term("Verdict", "supported, refuted, inconclusive",
               "Supported: the interval lies inside the hypothesised region. Refuted: it lies in the complement, or "
               "excludes every effect that goes at least the smallest effect of interest beyond the margin. Otherwise "
               "inconclusive.",
               "Where runs that count failed, a verdict must hold with them ranked worst for it, too; absence of "
               "significance is never evidence of absence.",
               "Registration");
  return page;
}

}  // namespace artifacts

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "kernel/evidence/blocks.h"
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

std::string metric_bounds(const kernel::StudyTerms& terms, const Metric& m) {
  static constexpr const char* on_nan[] = {"a value that is not finite fails the run",
                                           "a value that is not finite counts as the worst outcome",
                                           "from the first value that is not finite on, the run is censored"};
  std::string text = on_nan[static_cast<std::size_t>(m.on_nan)];
  if (m.censor_right) text += "; a run that times out took at least as long as any that ended";
  if (m.deterministic) text += "; declared deterministic: compared exactly, on exactly these inputs";
  for (const kernel::Guard& guard : terms.spec.guards) {
    if (guard.metric != m.name) continue;
    if (guard.at_most) text += "; a run above " + prose::rounded(*guard.at_most) + " is invalid";
    if (guard.at_least) text += "; a run below " + prose::rounded(*guard.at_least) + " is invalid";
  }
  return text;
}

bool used(const kernel::StudySpec& spec, const kernel::Hypotheses& study, const Metric& m) {
  const auto& hs = study.hypotheses;
  return m.primary || std::ranges::any_of(hs, [&](const auto& r) { return kernel::is_about(r.hypothesis, m.name); }) ||
         std::ranges::any_of(spec.guards, [&](const kernel::Guard& g) { return g.metric == m.name; });
}

std::string exclusion(const std::map<std::string, std::vector<std::string>>& rule) {
  return joined_text(rule, " with ",
                     [](const auto& one) { return one.first + " = " + joined_text(one.second, " or "); });
}

/// What is said of the runs that had no sandbox; empty if all had one.
std::string unsandboxed_words(const Study& study) {
  std::int64_t known = 0, without = 0;
  for (const kernel::Run& run : study.runs) {
    if (!run.ended() || run.state == kernel::RunState::lost) continue;
    ++known;
    without += run.outcome.sandboxed ? 0 : 1;
  }
  if (without == 0) return "";
  const bool tells_none = study.wording >= 8 || study.wording == kernel::codes_only;
  const bool none = tells_none && without == known;
  const std::string text = none ? "No run was sandboxed" : "Some runs were not sandboxed";
  const auto walls = study.environment.machine.find(kernel::walls_fact);
  if (walls == study.environment.machine.end())
    return text +
           (none ? ": what the runs read and wrote is not confined." : ": what they read and wrote is not confined.");
  return text + fmt::format(", for the machine could make no sandbox. {} were held by {}.", none ? "The runs" : "They",
                            in_markdown(walls->second));
}

}  // namespace

std::string concepts_page(const Study& study) {
  std::string page = "# Concepts\n";
  for (const Metric& m : study.spec.metrics) {
    if (!used(study.spec, study, m)) continue;
    const std::string notation = m.name + (m.unit.empty() || m.unit == "1" ? "" : ", in " + m.unit);
    const std::string goal = m.goal == kernel::Goal::minimize ? "lower is better" : "higher is better";
    page += term("Metric " + m.name, notation, fmt::format("One value per run: {}; {}.", origin_text(m), goal),
                 metric_bounds(study, m), "Replicate, Verdict");
  }
  const bool paired = study.spec.design.pairing == kernel::Pairing::seed;
  if (kernel::in_blocks(study.spec))
    page += term("Block", "one of the " + kernel::blocks_words(study.spec),
                 "The unit of analysis. Every arm runs in every block; its runs there are averaged.",
                 study.wording >= 11 || study.wording == kernel::codes_only
                     ? "The blocks are a sample: results hold for such blocks on average, not for each block."
                     : "A sample of the blocks there could be: what is shown holds for such, not for each.",
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
  const bool one_interval = study.spec.design.rule == kernel::VerdictRule::one_interval;
  page += term(
      "Verdict",
      one_interval ? "supported, refuted, no relevant effect, inconclusive" : "supported, refuted, inconclusive",
      one_interval
          ? "Supported: the interval lies inside the hypothesised region. Refuted: it lies in the complement. "
            "No relevant effect: it excludes effects of the smallest size that a person declared to matter. "
            "Otherwise inconclusive."
          : "Supported: the interval lies inside the hypothesised region. Refuted: it lies in the complement, or "
            "excludes every effect that goes at least the smallest effect of interest beyond the margin. Otherwise "
            "inconclusive.",
      "Where runs that count failed, a verdict must hold with them ranked worst for it, too; absence of "
      "significance is never evidence of absence.",
      "Registration");
  return page;
}

std::vector<std::string> limits(const Study& study) {
  std::vector<std::string> list;
  list.push_back(
      "Everything was measured on one machine, in one environment, with the levels and inputs that the study "
      "file names; nothing is claimed beyond them.");
  const auto counting = std::ranges::count_if(study.runs, [](const auto& run) { return run.evidence(); });
  const auto bad = std::ranges::count_if(
      study.runs, [](const kernel::Run& run) { return run.evidence() && run.state != kernel::RunState::succeeded; });
  if (bad > 0)
    list.push_back(
        fmt::format("{} of the {} that count did not succeed; a hypothesis that they belong to is decided only where "
                    "its verdict holds with them ranked worst for it, too.",
                    bad, prose::counted(counting, "run")));
  const bool attribution =
      std::ranges::any_of(study.hypotheses, [](const auto& r) { return r.hypothesis.mechanism.empty(); });
  if (attribution)
    list.push_back("Where a hypothesis names no mechanism, its claim is attribution: what goes with what, not why.");
  if (!study.hypotheses.empty())
    list.push_back(
        "Mechanisms are stated by the study's author; their consequences were measured, they themselves were "
        "not.");
  if (study.spec.design.pairing == kernel::Pairing::none)
    list.push_back("Runs were not paired by seed, so differences between seeds add to the noise.");
  if (study.jobs > 1)
    list.push_back(
        fmt::format("Up to {} ran at the same time and shared the machine.", prose::counted(study.jobs, "job")));
  if (std::string words = unsandboxed_words(study); !words.empty()) list.push_back(std::move(words));
  if (study.spec.resources.network)
    list.push_back("Runs had access to the network: what they fetched is not recorded.");
  for (const kernel::DataRecord& data : study.data)
    if (data.identity.starts_with("declared:"))
      list.push_back(
          fmt::format("The data {} were identified by declaration only; their bytes were not hashed.", data.name));
  return list;
}

std::string constraints_page(const Study& study) {
  const kernel::StudySpec& spec = study.spec;
  std::string page = "# Constraints and limits\n\n## Scope\n";
  for (const kernel::Factor& factor : spec.factors) {
    if (factor.range) {
      page += fmt::format("- {} was searched from {} to {}{}; only the values that were run are known.\n",
                          in_markdown(factor.name), prose::rounded(factor.range->low),
                          prose::rounded(factor.range->high), factor.range->log ? " on a logarithmic scale" : "");
      continue;
    }
    const std::string levels = joined_text(factor.levels, ", ", &kernel::Level::name);
    page += fmt::format("- {} takes the levels {} and no others.\n", in_markdown(factor.name), in_markdown(levels));
  }
  for (const auto& rule : spec.excludes) page += fmt::format("- Never run: {}.\n", in_markdown(exclusion(rule)));
  for (const kernel::Guard& guard : spec.guards) {
    const std::string bound = (guard.at_most ? "at most " + prose::rounded(*guard.at_most) : std::string()) +
                              (guard.at_most && guard.at_least ? " and " : "") +
                              (guard.at_least ? "at least " + prose::rounded(*guard.at_least) : std::string());
    page += fmt::format("- A run counts only with {} {}; otherwise it is invalid, an outcome against its arm.\n",
                        in_markdown(guard.metric), in_markdown(bound));
  }
  page += "\n## Resources per run\n";
  page += fmt::format("- Processors: {}\n", spec.resources.cpus);
  page += "- Memory: " +
          (spec.resources.memory_bytes ? prose::bytes_text(*spec.resources.memory_bytes) : "no limit of its own") +
          "\n";
  page +=
      "- Disk: " + (spec.resources.disk_bytes ? prose::bytes_text(*spec.resources.disk_bytes) : "no limit of its own") +
      "\n";
  page += "- Time: " +
          (spec.resources.timeout_s ? prose::duration_text(*spec.resources.timeout_s) : "no limit of its own") + "\n";
  page += std::string("- Network: ") + (spec.resources.network ? "allowed" : "none") + "\n";
  page += "\n## Limits\n";
  for (const std::string& limit : limits(study)) page += "- " + in_markdown(limit) + "\n";
  return page;
}

}  // namespace artifacts

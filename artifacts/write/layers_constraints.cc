#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Study;

namespace {

std::string exclusion(const std::map<std::string, std::vector<std::string>>& rule) {
  return joined_text(rule, " with ",
                     [](const auto& one) { return one.first + " = " + joined_text(one.second, " or "); });
}

bool all_sandboxed(const Study& study) {
  return std::ranges::all_of(study.runs, [](const kernel::Run& run) {
    return !run.ended() || run.state == kernel::RunState::lost || run.outcome.sandboxed;
  });
}

}  // namespace

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
  if (!all_sandboxed(study)) list.push_back("Some runs were not sandboxed: what they read and wrote is not confined.");
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

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "kernel/wording/wording.h"

namespace artifacts {

using kernel::Claim;
using kernel::Experiment;
using kernel::HypothesisRecord;
using kernel::Study;

namespace {

/// `value ← reference «verbatim quote» [kind]`; the quote is a row of the verdict table, byte for byte.
std::string sources(const kernel::StudySpec& spec, const Study& study, const HypothesisRecord& record) {
  const std::string path = verdict_table_path(record.experiment);
  const std::vector<std::string> cells = verdict_cells(spec, study, record);
  const auto up_to = [&](std::size_t columns) {
    return markdown_row({cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(columns)});
  };
  const std::string estimate = up_to(7);  // The columns up to the relative interval.
  const std::string row = shows_sizes(study) ? up_to(11) : up_to(cells.size());  // Up to n.
  const ShownResult s = shown(spec, record);
  std::string text;
  const auto add = [&](const std::string& what, const kernel::ShownNumber& value, const std::string& quoted) {
    if (value.missing)
      text += fmt::format("  - {}: [pending: {}]\n", in_markdown(what), in_markdown(value.text));
    else
      text += fmt::format("  - {}: {} ← {} «{}» [result]\n", what, in_markdown(value.text), path, quoted);
  };
  const bool one_end = record.hypothesis.kind == kernel::HypothesisKind::crossover && tells_scale(study);
  const std::string where = one_end ? " at the level that shows less" : "";
  add("effect" + where, s.main_effect(), estimate);
  add("interval at " + s.level.text + where, s.main_interval(), estimate);
  add(corrected_name(spec), s.p_corrected, row);
  add("runs, treatment and control", s.n, row);
  const std::string test = in_markdown(tested_words(spec, record.hypothesis, study.wording));
  text +=
      shows_sizes(study)
          ? fmt::format("  - registered as: {0} ← src/configs/parameters.md «## {0}» [input]\n", record.hypothesis.id)
          : fmt::format("  - registered test: {0} ← src/configs/parameters.md «{0}» [input]\n", test);
  return text;
}

/// What a claim must be read with: who looked before, who reviewed, and what was run again.
bool qualifies_claim(kernel::ReasonCode code) {
  using enum kernel::ReasonCode;
  return code == looked_at_by_scratch || code == reviewed_by_author || code == drawn_by_reviewer ||
         code == retries_allowed;
}

std::string claim_block(const Study& study, const Claim& claim) {
  const HypothesisRecord* record = study.hypothesis(claim.hypothesis);
  const kernel::ExperimentId& e = claim.experiment;
  std::string block = fmt::format("## {}: {}\n", claim.id, in_markdown(without_stop(claim.title)));
  block += "- **Statement**: " + in_markdown(claim.statement) + "\n";
  block += "- **Conditions**: " + in_markdown(claim.conditions) + "\n";
  block += "- **Sources**:\n" +
           (record && record->result ? sources(study.spec, study, *record) : "  - [pending: not analysed]\n");
  block += "- **Status**: " + claim.status + "\n";
  block += "- **Falsification criteria**: " + in_markdown(claim.falsification) + "\n";
  block += fmt::format("- **Proof**: {}\n", e.empty() ? "none" : "[" + e + "]");
  block += e.empty() ? "- **Evidence basis**: none: it was never registered"
                     : fmt::format(
                           "- **Evidence basis**: the registered analysis of {0} ({1}) over the runs in "
                           "evidence/results/{0}.csv",
                           e, verdict_table_path(e));
  if (record && record->result)
    block += shows_sizes(study) ? "." : ". " + in_markdown(sentence(record->result->reason, study.wording));
  if (record && record->result)
    for (const kernel::Reason& warning : record->result->warnings)
      if (qualifies_claim(warning.code)) block += " " + in_markdown(sentence(warning, study.wording)) + ".";
  block += "\n";
  block += "- **Dependencies**: " + (claim.depends_on.empty() ? "none" : "[" + listed(claim.depends_on) + "]") + "\n";
  const std::string tags = joined_text(claim.tags, ", ", in_markdown);
  return block + "- **Tags**: " + (tags.empty() ? "none" : tags) + "\n";
}

std::string datasets(const kernel::StudyTerms& terms) {
  if (terms.data.empty()) return "none is declared; what the code makes or brings along is part of the workspace";
  std::vector<std::string> names;
  for (const kernel::DataRecord& data : terms.data) names.push_back(data.name);
  return listed(names) + ", described in data/dataset.md";
}

std::string verifies(const kernel::Exploration& study, const kernel::ExperimentId& id) {
  const std::vector<std::string> claims = claims_of(study, id);
  return claims.empty() ? "none: its hypotheses have no claim" : joined_text(claims, ", ");
}

std::string procedure(const kernel::StudySpec& spec, const kernel::Experiments& study, const Experiment& e) {
  const kernel::Registration& r = e.registration;
  std::vector<std::string> steps;
  steps.push_back("Freeze the workspace and register hypotheses, cells, replicates, seeds, metrics and command.");
  if (study.check && !study.check->skipped)
    steps.push_back(
        "Before that, flip every factor and the seed once in smoke runs to see that each changes something.");
  if (study.asked_pilot)
    steps.push_back("Before that, measure the noise in a pilot on seeds of its own, and discard it as evidence.");
  if (kernel::in_blocks(spec))
    steps.push_back(
        fmt::format("Take the {} for the units: average an arm's runs in each, and compare the arms within "
                    "them.",
                    in_markdown(kernel::blocks_words(spec))));
  steps.push_back(r.pairing == kernel::Pairing::seed
                      ? kernel::in_blocks(spec)
                            ? "Run every cell once per replicate; all cells of a block and replicate share a seed."
                            : "Run every cell once per replicate; all cells of a replicate share its seed."
                      : "Run every cell once per replicate, each run with a seed of its own.");
  steps.push_back(r.order == kernel::Order::random
                      ? "Interleave the cells: within each replicate their order is random."
                      : "Within each replicate, run the cells in the order listed.");
  if (e.registration.terms && e.registration.terms->evaluator)
    steps.push_back(fmt::format(
        "Once a run has succeeded and all its processes are gone, score what it left: {} ({}), on data no run sees.",
        in_code(command_text(e.registration.terms->evaluator->command)),
        kernel::name(e.registration.terms->evaluator->tier)));
  steps.push_back(
      "Count a run that fails, times out or breaks a guard against its arm; repeat lost runs with their seed.");
  steps.push_back(
      spec.design.correction == kernel::Correction::holm
          ? "After the last run, test every hypothesis once, with Holm's correction over the batch."
          : "After the last run, test every hypothesis once, and hold the false discovery rate of the batch "
            "(Benjamini and Hochberg).");
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) text += fmt::format("  {}. {}\n", i + 1, steps[i]);
  return text;
}

std::string expected(const Study& study, const Experiment& e) {
  std::string text;
  for (const kernel::Hypothesis& h : e.registration.hypotheses) {
    const std::string claim = claim_id(study, h.id);
    text += fmt::format("  - {}: {}.\n", claim.empty() ? in_markdown(h.id.text()) : claim,
                        in_markdown(direction_text(study.spec, h, tells_scale(study))));
  }
  return text;
}

std::string baselines(const Experiment& e) {
  std::vector<std::string> list;
  for (const kernel::Hypothesis& h : e.registration.hypotheses) {
    if (h.control.empty()) continue;
    const std::string control = in_markdown(cell_text(h.control));
    if (std::ranges::find(list, control) == list.end()) list.push_back(control);
  }
  return list.empty() ? "none: slopes are compared with a registered value" : listed(list);
}

std::string evidence_of(const kernel::Exploration& study, const kernel::ExperimentId& id) {
  std::string text = fmt::format("evidence/results/{0}.md, evidence/results/{0}.csv, evidence/tables/cells_{0}.md", id);
  if (!claims_of(study, id).empty()) text += fmt::format(", evidence/tables/verdicts_{}.md", id);
  return text;
}

std::string block(const Study& study, const Experiment& e, const kernel::ExperimentId& before) {
  const kernel::Registration& r = e.registration;
  const kernel::ExperimentId& id = r.experiment;
  const std::string metrics = joined_text(r.metrics, "; ", [](const kernel::Metric& m) {
    return in_markdown(m.name + in_brackets(m.unit) + ", " + summary_text(m));
  });
  std::string text = fmt::format("## {}: The registered experiment of batch {}\n", id, r.batch);
  text += "- **Verifies**: " + verifies(study, id) + "\n";
  text += "- **Evidence**: " + evidence_of(study, id) + "\n";
  text += fmt::format("- **Run**: {} for every cell and seed of the registration {}\n",
                      in_code(command_text(r.command)), e.hash);
  text += "- **Setup**:\n";
  text += "  - Model: the code of src/workspace/" + r.workspace + ", indexed in src/artifacts.md\n";
  text += "  - Hardware: " + in_markdown(hardware_words(study)) + "\n";
  text += "  - Dataset: " + in_markdown(datasets(study)) + "\n";
  text += "  - System: see src/environment.md\n";
  text += "- **Procedure**:\n" + procedure(study.spec, study, e);
  text += "- **Metrics**: " + metrics + "\n";
  text += "- **Expected outcome**:\n" + expected(study, e);
  text += "- **Baselines**: " + baselines(e) + "\n";
  return text + "- **Dependencies**: " + (before.empty() ? "none" : before.text()) + "\n";
}

}  // namespace

std::string claims_page(const Study& study) {
  std::string page = "# Claims\n";
  if (study.claims.empty()) page += "\nNo claim is made: no hypothesis reached a verdict.\n";
  for (const HypothesisRecord* record : withdrawn(study))
    page +=
        fmt::format("\nNo claim is made on {} ({}): it was withdrawn before it had a verdict. The reason given: {}.\n",
                    in_markdown(record->hypothesis.id.text()), in_markdown(without_stop(record->hypothesis.statement)),
                    in_markdown(without_stop(sentence(record->withdrawn, study.wording))));
  for (const Claim& claim : study.claims) page += "\n" + claim_block(study, claim);
  return page;
}

std::string experiments_page(const Study& study) {
  std::string page = "# Experiments\n";
  kernel::ExperimentId before;
  if (study.search)
    page += fmt::format(
        "\nWhat is confirmed here was selected by {0}, whose runs are no evidence: evidence/results/{0}.md.\n",
        study.search->plan.registered.experiment);
  if (study.experiments.empty()) page += "\nNo experiment was registered.\n";
  for (const Experiment& e : study.experiments) {
    page += "\n" + block(study, e, before);
    before = e.registration.experiment;
  }
  return page;
}

}  // namespace artifacts

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "artifacts/words/verdict_table.h"
#include "artifacts/write/layers.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Claim;
using kernel::HypothesisRecord;
using kernel::Study;

namespace {

std::string bracketed(const std::vector<std::string>& ids) {
  return ids.empty() ? "none" : "[" + listed(ids) + "]";
}

/// `value ← reference «verbatim quote» [kind]`; the quote is a row of the verdict table, byte for byte.
std::string sources(const Study& study, const HypothesisRecord& record) {
  const std::string path = verdict_table_path(record.experiment);
  const std::string row = markdown_row(verdict_cells(study, record));
  const ShownResult s = shown(study.spec, record);
  std::string text;
  std::vector<std::string> first = verdict_cells(study, record);
  first.resize(7);  // The columns up to the relative interval.
  const std::string estimate = markdown_row(first);
  const auto add = [&](const std::string& what, const std::string& value, const std::string& quoted) {
    if (value.starts_with("not available"))
      text += fmt::format("  - {}: [pending: {}]\n", in_markdown(what), in_markdown(value));
    else
      text += fmt::format("  - {}: {} ← {} «{}» [result]\n", what, in_markdown(value), path, quoted);
  };
  add("effect", s.main_effect(), estimate);
  add("interval at " + s.level, s.main_interval(), estimate);
  add(corrected_name(study.spec), s.p_corrected, row);
  add("runs, treatment and control", s.n, row);
  const std::string test = in_markdown(test_text(study.spec, record.hypothesis));
  text += fmt::format("  - registered test: {0} ← src/configs/parameters.md «{0}» [input]\n", test);
  return text;
}

std::string claim_block(const Study& study, const Claim& claim) {
  const HypothesisRecord* record = study.hypothesis(claim.hypothesis);
  const std::string& e = claim.experiment;
  std::string block = fmt::format("## {}: {}\n", claim.id, in_markdown(without_stop(claim.title)));
  block += "- **Statement**: " + in_markdown(claim.statement) + "\n";
  block += "- **Conditions**: " + in_markdown(claim.conditions) + "\n";
  block += "- **Sources**:\n" + (record && record->result ? sources(study, *record) : "  - [pending: not analysed]\n");
  block += "- **Status**: " + claim.status + "\n";
  block += "- **Falsification criteria**: " + in_markdown(claim.falsification) + "\n";
  block += fmt::format("- **Proof**: {}\n", e.empty() ? "none" : "[" + e + "]");
  block += e.empty() ? "- **Evidence basis**: none: it was never registered"
                     : fmt::format(
                           "- **Evidence basis**: the registered analysis of {0} ({1}) over the runs in "
                           "evidence/results/{0}.csv",
                           e, verdict_table_path(e));
  block += (record && record->result ? ". " + in_markdown(sentence(record->result->reason)) : "") + "\n";
  block += "- **Dependencies**: " + bracketed(claim.depends_on) + "\n";
  std::string tags;
  for (const std::string& tag : claim.tags) tags += (tags.empty() ? "" : ", ") + in_markdown(tag);
  return block + "- **Tags**: " + (tags.empty() ? "none" : tags) + "\n";
}

}  // namespace

std::string claims_page(const Study& study) {
  std::string page = "# Claims\n";
  if (study.claims.empty()) page += "\nNo claim is made: no hypothesis reached a verdict.\n";
  for (const HypothesisRecord* record : withdrawn(study))
    page +=
        fmt::format("\nNo claim is made on {} ({}): it was withdrawn before it had a verdict. The reason given: {}.\n",
                    in_markdown(record->hypothesis.id), in_markdown(without_stop(record->hypothesis.statement)),
                    in_markdown(without_stop(sentence(record->withdrawn))));
  for (const Claim& claim : study.claims) page += "\n" + claim_block(study, claim);
  return page;
}

}  // namespace artifacts

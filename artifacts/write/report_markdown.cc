#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/layers.h"
#include "artifacts/write/report.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/blocks.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/inference/estimate.h"
#include "kernel/verdicts/controls.h"
#include "kernel/views/result_text.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::HypothesisRecord;
using kernel::Study;

namespace {

std::string heading(const ReportInput& input) {
  const Study& study = input.study;
  std::string text = "# " + in_markdown(study.spec.title) + "\n\n";
  text += "**Question.** " + in_markdown(study.spec.question) + "\n\n";
  if (const kernel::Extended& extended = study.spec.extends; !extended.empty())
    text += fmt::format("**Builds on.** {} ({}): [logic/related_work.md](logic/related_work.md).\n\n",
                        in_markdown(extended.title), in_code(extended.id));
  const PurposeCounts counts = counts_of_purpose(study, kernel::Purpose::registered);
  text += fmt::format("Study {}, opened {}; {}, {} of run time.\n", study.id,
                      kernel::iso8601(study.opened_ms).substr(0, 16).replace(10, 1, " ") + " UTC",
                      prose::counted(counts.total, "registered run"), prose::duration_text(run_seconds(study)));
  if (study.check && !study.check->skipped && study.check->findings.empty())
    text += "\nManipulation check: before the first registered run, every factor and the seed changed something.\n";
  for (const kernel::Experiment& experiment : study.experiments)
    if (experiment.aa && !experiment.aa->differs)
      text += "\n" + in_markdown(sentence(kernel::aa_reason(study.spec, *experiment.aa), study.wording)) + "\n";
  for (const kernel::Experiment& experiment : study.experiments)
    if (experiment.planted && experiment.planted->verdict == kernel::Verdict::supported)
      text += "\n" + in_markdown(kernel::planted_words(*experiment.planted, study.wording)) + "\n";
  return text;
}

std::string first_words(const Study& study) {
  const std::vector<std::string> list = cautions(study);
  std::string text;
  if (!list.empty()) {
    text += "\n## Read this first\n\n";
    for (const std::string& caution : list) text += "- " + in_markdown(caution) + "\n";
  }
  text += "\n## Answer\n";
  for (const std::string& sentence : answer(study)) text += "\n" + in_markdown(sentence) + "\n";
  return text;
}

/// Without line breaks, for a narrow column; the reason why there is no number may be broken.
std::string unbroken(const kernel::ShownNumber& number) {
  if (number.missing) return in_markdown(number.text);
  std::string out;
  for (const char c : in_markdown(number.text)) out += c == ' ' ? std::string("\u00a0") : std::string(1, c);
  return out;
}

std::string interval_cell(const Study& study, const HypothesisRecord& record, const ShownResult& s) {
  const kernel::ShownNumber interval = kernel::measured(study.spec, record, study.wording).interval;
  if (interval.missing) return in_markdown(interval.text);
  if (record.hypothesis.kind == kernel::HypothesisKind::crossover && tells_scale(study))
    return in_markdown(interval.text);
  // The unit is in the column of the effect.
  return unbroken(interval.text.substr(0, interval.text.find(']') + 1)) + " " + unbroken("at " + s.level.text);
}

/// Withdrawn hypotheses have no numbers; before their registration they have no runs either.
std::string evidence_links(const HypothesisRecord& record) {
  if (record.experiment.empty()) return "none";
  const std::string runs = fmt::format("[runs](evidence/results/{}.md)", record.experiment);
  return record.withdrawn.empty() ? fmt::format("[numbers]({}), {}", verdict_table_path(record.experiment), runs)
                                  : runs;
}

/// The hypothesis with its author's statement, as a quotation.
std::string stated(const kernel::StudySpec& spec, const kernel::Hypothesis& h) {
  const bool quoted = spec.design.rule == kernel::VerdictRule::one_interval;
  return h.id + ": " + (quoted ? "“" : "") + without_stop(h.statement) + (quoted ? "”" : "");
}

std::string verdicts(const Study& study) {
  const bool holm = study.spec.design.correction == kernel::Correction::holm;
  std::string text = fmt::format(
      "\n## Verdicts\n\n| Hypothesis | Verdict | Effect | Interval | {} | n | Failed | Power | "
      "Evidence |\n|---|---|---:|---|---:|---:|---:|---:|---|\n",
      holm ? "p, corrected" : "q (FDR)");
  for (const HypothesisRecord& record : study.hypotheses) {
    const kernel::Hypothesis& h = record.hypothesis;
    const std::string name = in_markdown(stated(study.spec, h));
    if (!record.result) {
      text += fmt::format("| {} | open | not available: not analysed |  |  |  |  |  | none |\n", name);
      continue;
    }
    if (!record.withdrawn.empty()) {
      text += fmt::format("| {} | withdrawn | none: {} |  |  |  |  |  | {} |\n", name,
                          in_markdown(without_stop(sentence(record.withdrawn, study.wording))), evidence_links(record));
      continue;
    }
    const ShownResult s = shown(study.spec, record, study.wording);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, verdict_text(record),
                        unbroken(kernel::measured(study.spec, record, study.wording).effect),
                        interval_cell(study, record, s), unbroken(s.p_corrected), unbroken(s.n), unbroken(s.failed),
                        in_markdown(s.power.text), evidence_links(record));
  }
  if (study.spec.design.reading)
    text +=
        "\nn counts the units of the test: pairs of runs on one seed, items or blocks, or treatment + control runs "
        "where "
        "nothing is paired. Failed counts runs. Intervals are two-sided, at the level after correction for the family "
        "of "
        "hypotheses; power is for the smallest effect, with the variance observed.\n";
  else
    text +=
        "\nn and Failed count runs of treatment + control (of a slope: all its runs). Intervals are two-sided, at the "
        "level after correction for the family of hypotheses; power is for the smallest effect of interest.\n";
  return text;
}

/// What the artifact that is extended has tested already.
std::string tested_by_parent(const kernel::StudyTerms& terms, const kernel::Hypothesis& h) {
  std::vector<std::string> earlier;
  std::vector<kernel::Predecessor> tested;
  for (const kernel::Predecessor& p : kernel::predecessors_of(terms, h)) {
    if (p.study != terms.spec.extends.id) continue;
    earlier.push_back(fmt::format("{} ({}{})", p.hypothesis, kernel::words_of(p.verdict),
                                  p.other_code ? ", on other code, data or conditions" : ""));
    tested.push_back(p);
  }
  if (earlier.empty()) return "";
  return fmt::format("- Tested before by the artifact that this study extends, {}: {}.{}\n",
                     in_markdown(terms.spec.extends.id), in_markdown(listed(earlier)),
                     kernel::last_unsupported(tested) ? " It repeats a dead end of that artifact." : "");
}

std::string hypothesis_paragraph(const Study& study, const HypothesisRecord& record) {
  const kernel::Hypothesis& h = record.hypothesis;
  std::string text = fmt::format("\n### {}\n\n", in_markdown(stated(study.spec, h)));
  if (!record.withdrawn.empty())
    return text + fmt::format(
                      "**withdrawn.** The reason given: {}. Nothing is concluded from it, and it keeps its slot in the "
                      "family.\n\n- What would have been tested: {}.\n",
                      in_markdown(without_stop(sentence(record.withdrawn, study.wording))),
                      in_markdown(tested_words(study.spec, h, study.wording)));
  if (!record.result) return text + "Not analysed.\n";
  const ShownResult s = shown(study.spec, record, study.wording);
  text +=
      fmt::format("**{}.** {}\n\n", verdict_text(record), in_markdown(sentence(record.result->reason, study.wording)));
  text += "- Tested: " + in_markdown(tested_words(study.spec, h, study.wording)) + ".\n";
  if (const auto test = kernel::method_used(study.spec, record).words(study.spec)) text += "- " + *test + "\n";
  if (record.result->blocks > 0)
    text += fmt::format(
        "- Unit: block ({}{}).\n",
        record.result->blocks < kernel::block_count(study.spec) ? fmt::format("{} of ", record.result->blocks) : "",
        in_markdown(kernel::blocks_words(study.spec)));
  for (const kernel::Requirement& required : h.requirements)
    text +=
        "- Required too: " + in_markdown(tested_words(study.spec, kernel::requirement_of(h, required), study.wording)) +
        ".\n";
  if (s.relative)
    text += fmt::format("- In absolute terms: {}, {}.\n", in_markdown(s.effect.text), in_markdown(s.interval.text));
  else if (!s.relative_effect.missing && h.kind == kernel::HypothesisKind::compare)
    text += fmt::format("- Relative to the control: {}, {}.\n", in_markdown(s.relative_effect.text),
                        in_markdown(s.relative_interval.missing ? "interval not computed" : s.relative_interval.text));
  if (record.result->bca_low || record.result->bca_high)
    text += "- Bootstrap interval beside the test: " + in_markdown(s.bootstrap.text) + ".\n";
  for (const std::string& sentence : s.reading) text += "- " + in_markdown(sentence) + "\n";
  text += h.mechanism.empty()
              ? std::string("- No mechanism is stated: this is attribution, not explanation.\n")
              : "- Mechanism stated beforehand, not tested itself: " + in_markdown(without_stop(h.mechanism)) + ".\n";
  for (const std::string& warning : kernel::sentences(record.result->warnings, study.wording))
    text += "- Warning: " + in_markdown(with_stop(warning, study.wording)) + "\n";
  text += tested_by_parent(study, h);
  for (const bool other : {false, true}) {
    std::vector<std::string> earlier;
    for (const kernel::Predecessor& p : kernel::predecessors_of(study, h))
      if (p.other_code == other && p.study != study.spec.extends.id)
        earlier.push_back(fmt::format("{} of {} ({})", p.hypothesis, p.study, kernel::words_of(p.verdict)));
    if (!earlier.empty())
      text += fmt::format("- Tested before in the same home, on {}: {}. Of several tries one may succeed by chance.\n",
                          other ? "other code, data or conditions" : "the same code and conditions",
                          in_markdown(listed(earlier)));
  }
  if (const std::string claim = claim_id(study, h.id); !claim.empty())
    text += fmt::format("- Stated as claim {} in [logic/claims.md](logic/claims.md).\n", claim);
  return text + settings_text(study, record);
}

std::string figures(const ReportInput& input) {
  if (input.figures.empty() && input.figure_trouble.empty()) return "";
  std::string text = "\n## Figures\n";
  int number = 0;
  for (const Figure& figure : input.figures) {
    const std::string files =
        input.style == FigureStyle::newest
            ? fmt::format(" [CSV](evidence/figures/{0}.csv), [PDF](evidence/figures/{0}.pdf).", figure.drawing.name)
            : "";
    text += fmt::format("\n![{}](evidence/figures/{}.svg)\n\n*Figure {}. {}. {}{}*\n", in_link_text(figure.alt),
                        figure.drawing.name, ++number, in_markdown(figure.title), in_markdown(figure.caption), files);
  }
  if (!input.figure_trouble.empty()) text += "\nSome figures are missing: " + in_markdown(input.figure_trouble) + ".\n";
  return text;
}

}  // namespace

std::string report_markdown(const ReportInput& input) {
  const Study& study = input.study;
  std::string text = heading(input) + first_words(study);
  text += search_section(study);
  if (!study.hypotheses.empty()) text += verdicts(study);
  text += figures(input);
  if (!study.hypotheses.empty()) text += "\n## Hypothesis by hypothesis\n";
  for (const HypothesisRecord& record : study.hypotheses) text += hypothesis_paragraph(study, record);
  text += written_section(study) + references_section(study) + requirements_section(study);
  text += runs_section(study) + by_hand_section(study) + dead_ends_section(study) +
          (study.spec.captured() ? "" : design_section(study)) + environment_section(study);
  text += "\n## Limits\n\n";
  for (const std::string& limit : limits(study)) text += "- " + in_markdown(limit) + "\n";
  return text + cost_section(study) + models_section(study) + reproduction_section(input);
}

}  // namespace artifacts

#include <algorithm>

#include <fmt/format.h>

#include "artifacts/words/study_words.h"
#include "kernel/binding/prose_binding.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/verdicts/controls.h"
#include "kernel/views/agents_code.h"
#include "kernel/views/models_shape.h"
#include "kernel/wording/wording.h"

namespace artifacts {

using kernel::Study;
using kernel::Verdict;

namespace {

/// What was found of these hypotheses, the first few in full; the authors' statements are quoted.
std::string statements(kernel::VerdictRule rule, const std::vector<kernel::HypothesisId>& ids) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < ids.size() && i < most; ++i)
    text += rule == kernel::VerdictRule::smallest_effect
                ? fmt::format("{}{{{{{}.statement}}}} ({})", i == 0 ? "" : "; ", ids[i], ids[i])
                : fmt::format("{0}{{{{{1}.finding}}}} ({1}: {{{{{1}.statement}}}})", i == 0 ? "" : "; ", ids[i]);
  if (ids.size() > most) {
    const std::vector<kernel::HypothesisId> rest(ids.begin() + most, ids.end());
    text += fmt::format("; and {}", listed(rest));
  }
  return text;
}

/// The answer with addresses instead of values.
std::vector<std::string> written_answer(kernel::VerdictRule rule, const kernel::Hypotheses& study) {
  const auto supported = hypotheses_with(study, Verdict::supported);
  const auto refuted = hypotheses_with(study, Verdict::refuted);
  const auto irrelevant = hypotheses_with(study, Verdict::no_relevant_effect);
  const auto open = hypotheses_with(study, Verdict::inconclusive);
  const std::size_t judged = supported.size() + refuted.size() + irrelevant.size() + open.size();
  std::vector<kernel::HypothesisId> gone;
  for (const kernel::HypothesisRecord* record : withdrawn(study)) gone.push_back(record->hypothesis.id);
  const std::string without = "ithdrawn before a verdict: " + statements(kernel::VerdictRule::smallest_effect, gone);
  std::vector<std::string> sentences;
  if (judged == 0) {
    sentences.push_back("No hypothesis was judged, so the question stays open.");
    if (!gone.empty()) sentences.push_back("W" + without + ".");
    return sentences;
  }
  const auto exploratory =
      std::ranges::count_if(study.hypotheses, [](const auto& r) { return r.exploratory && r.withdrawn.empty(); });
  const std::string more = exploratory
                               ? std::string("; {{hypotheses.exploratory}} more were explored, which decides nothing")
                               : std::string();
  const auto share = [](std::size_t n, const char* verdict) {
    return n == 0 ? std::string("none") : fmt::format("{{{{hypotheses.{}}}}}", verdict);
  };
  sentences.push_back(fmt::format(
      "Of {{{{hypotheses.judged}}}} registered {}, the evidence supports {}, refutes {}{} and leaves {} undecided{}.",
      judged == 1 ? "hypothesis" : "hypotheses", share(supported.size(), "supported"), share(refuted.size(), "refuted"),
      irrelevant.empty()
          ? ""
          : fmt::format(", excludes a relevant effect for {}", share(irrelevant.size(), "no_relevant_effect")),
      share(open.size(), "inconclusive"), more));
  if (!supported.empty()) sentences.push_back("Supported: " + statements(rule, supported) + ".");
  std::string rest;
  if (!refuted.empty()) rest = "Refuted: " + statements(rule, refuted);
  if (!irrelevant.empty())
    rest += (rest.empty() ? "No relevant effect: " : "; no relevant effect: ") + statements(rule, irrelevant);
  if (!open.empty()) rest += (rest.empty() ? "Undecided: " : "; undecided: ") + statements(rule, open);
  if (!gone.empty()) rest += (rest.empty() ? "W" : "; w") + without;
  if (!rest.empty()) sentences.push_back(rest + ".");
  return sentences;
}

/// How many verdicts of each kind; then each verdict with what was measured, the supported ones first.
std::vector<std::string> sized_answer(const Study& study) {
  // Its first sentence has the counts; without verdicts it is the whole answer.
  std::vector<std::string> sentences = {
      kernel::with_values(study, written_answer(study.spec.design.rule, study).front())};
  const Verdict order[] = {Verdict::supported, Verdict::refuted, Verdict::no_relevant_effect, Verdict::inconclusive};
  for (const Verdict verdict : order)
    for (const kernel::HypothesisId& id : hypotheses_with(study, verdict))
      sentences.push_back(sized_sentence(study, *study.hypothesis(id)));
  for (const kernel::HypothesisRecord* record : withdrawn(study))
    sentences.push_back(fmt::format("{} (withdrawn before a verdict): “{}”.", record->hypothesis.id,
                                    without_stop(record->hypothesis.statement)));
  return sentences;
}

}  // namespace

std::string sized_sentence(const Study& study, const kernel::HypothesisRecord& record) {
  return fmt::format("{} ({}): {}.", record.hypothesis.id, kernel::words_of(record.result->verdict),
                     kernel::answer_words(study.spec, record, study.wording));
}

std::vector<std::string> answer(const Study& study) {
  if (shows_sizes(study)) return sized_answer(study);
  std::vector<std::string> sentences;
  for (const std::string& sentence : written_answer(study.spec.design.rule, study))
    sentences.push_back(kernel::with_values(study, sentence));
  return sentences;
}

std::vector<std::string> cautions(const Study& study) {
  std::vector<std::string> list;
  if (study.outcome == kernel::StudyOutcome::failed)
    list.push_back("The study failed: " + (study.outcome_detail.empty()
                                               ? "no reason was recorded"
                                               : sentence(study.outcome_detail, study.wording)));
  if (const kernel::Reason code = kernel::agents_code(study); !code.empty())
    list.insert(
        list.begin(),
        sentence(code, study.wording) +
            (study.amendment() ? fmt::format(" The change is in src/amendment.diff, the original in src/workspace/{}.",
                                             study.amendment()->original)
                               : ""));
  if (kernel::author_chose_seeds(study.spec))
    list.push_back("The seeds were chosen by the author (seeds: fixed), who could know the runs before they counted.");
  for (const kernel::Experiment& experiment : study.experiments)
    if (experiment.aa && experiment.aa->differs)
      list.push_back(sentence(kernel::aa_reason(study.spec, *experiment.aa), study.wording));
  for (const kernel::Experiment& experiment : study.experiments)
    if (experiment.planted && experiment.planted->verdict != kernel::Verdict::supported)
      list.push_back(kernel::planted_words(*experiment.planted, study.wording));
  if (const std::string words = kernel::earlier_looks_words(study); !words.empty()) list.push_back(words + ".");
  for (const kernel::IntegrityFound& found : study.integrity)
    list.push_back("Integrity: " + sentence(found.message, study.wording) +
                   (found.averted ? "." : ". Nothing that rests on it is concluded."));
  if (study.check && study.check->skipped)
    list.push_back("The manipulation check was skipped (design.smoke: false): nothing shows that the parameters act.");
  if (study.check)
    for (const kernel::CheckFinding& finding : study.check->findings)
      list.push_back(
          fmt::format("Manipulation check, {}: {}", finding.subject, sentence(finding.message, study.wording)));
  for (const std::string& words : kernel::understated_words(study, study.wording))
    list.push_back("Token counts: " + words + ".");
  if (study.sized)
    for (const std::string& warning : kernel::sentences(study.sized->warnings, study.wording))
      list.push_back("Sample size: " + warning);
  return list;
}

}  // namespace artifacts

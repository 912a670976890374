#include <algorithm>

#include <fmt/format.h>

#include "artifacts/forms/reporting_checklist.h"
#include "artifacts/words/study_words.h"
#include "kernel/study/ledger.h"
#include "prose/numbers.h"

namespace artifacts {
namespace neurips {
namespace {

using From = AnsweredFrom;

ChecklistAnswer not_in_record(std::string what) {
  return {AnswerWord::not_recorded, std::move(what) + " It is for the author to state."};
}

bool has_file(const From& from, std::string_view path) {
  return std::ranges::find(from.files.entries, path, &Entry::path) != from.files.entries.end();
}

/// "the license CC-BY-4.0", "no stated license".
std::string license_of(const std::string& license) {
  return license.empty() ? "no stated license" : "the license " + license;
}

ChecklistAnswer claims(const From& from) {
  if (from.study.claims.empty()) return {AnswerWord::not_applicable, "The artifact makes no claim.", {}};
  return {AnswerWord::yes,
          fmt::format("The text states what the kernel found of {}, refuted and undecided ones included, each with its "
                      "size and conditions. `etude audit` computes each of them again.",
                      prose::counted(std::ssize(from.study.claims), "claim")),
          {{"PAPER.md", "Overview"}, {"logic/claims.md", "Claims"}}};
}

ChecklistAnswer limitations(const From&) {
  return {AnswerWord::yes,
          "The limits of the study are listed, with the warnings of each verdict.",
          {{"PAPER.md", "Limitations"}, {"logic/solution/constraints.md", "Limits"}}};
}

ChecklistAnswer theory(const From&) {
  return {AnswerWord::not_applicable, "Claims come of measurements only; the record has no theoretical result.", {}};
}

ChecklistAnswer reproducibility(const From& from) {
  if (from.study.spec.captured())
    return {AnswerWord::no,
            "The work was captured: commands, code and outputs are there, and nothing was registered.",
            {{"evidence/results/by_hand.md", ""}}};
  return {
      AnswerWord::yes,
      "Study file, code, seeds, versions, registrations and every run are in the artifact. `etude reproduce` runs the "
      "registered design again.",
      {{"src/study.yaml", ""}, {"src/environment.md", "Environment"}, {"README.md", "Check and run"}}};
}

ChecklistAnswer open_access(const From& from) {
  const kernel::Publication& terms = from.study.spec.publication;
  const std::string code = "The code is in the artifact, byte for byte, under " + license_of(terms.code_license);
  const RecordAddress index{"src/artifacts.md", "Code"}, how{"README.md", "Check and run"};
  if (from.study.data.empty())
    return {AnswerWord::yes,
            code + ". No data set is declared. Where the artifact is published is not recorded.",
            {index, how}};
  return {AnswerWord::no,
          fmt::format("{}. The data ({}) are identified, and not in the artifact; they have {}.", code,
                      prose::counted(std::ssize(from.study.data), "data set"), license_of(terms.data_license)),
          {index, {"data/dataset.md", "Data"}, how}};
}

ChecklistAnswer setting(const From& from) {
  if (from.study.spec.captured())
    return {AnswerWord::yes, "Each command is recorded with its code.", {{"evidence/results/by_hand.md", ""}}};
  return {
      AnswerWord::yes,
      "Factors, levels, constants, seeds and sizes are recorded, with how the sizes came about. Details that the study "
      "file does not name are in the code.",
      {{"src/configs/parameters.md", "Parameters"}, {"PAPER.md", "Methods"}, {"report.md", "Design"}}};
}

ChecklistAnswer significance(const From& from) {
  std::vector<RecordAddress> where;
  for (const kernel::Experiment& e : from.study.experiments)
    where.push_back({fmt::format("evidence/tables/verdicts_{}.md", e.registration.experiment), ""});
  const bool judged =
      std::ranges::any_of(from.study.hypotheses, [](const auto& record) { return record.result.has_value(); });
  if (!judged) return {AnswerWord::not_applicable, "No hypothesis was tested.", {}};
  where.push_back({"PAPER.md", "Results"});
  return {
      AnswerWord::yes,
      "Each effect has an interval with its level, a p-value corrected over the family (where its test has one), and "
      "the number of units.",
      std::move(where)};
}

ChecklistAnswer compute(const From& from) {
  const kernel::Account all = kernel::spent(from.study);
  if (all.runs == 0 && from.study.environment.machine.empty())
    return {AnswerWord::not_recorded, "No run and no machine was recorded.", {}};
  return {AnswerWord::yes,
          fmt::format("{} took {} of run time and {} GPU hours, those that are no evidence included, on {}.",
                      prose::counted(all.runs, "run"), prose::duration_text(all.run_seconds),
                      prose::rounded(all.gpu_seconds / kernel::seconds_an_hour), hardware_words(from.study)),
          {{"src/environment.md", "Hardware and system"}, {"report.md", "Cost and energy"}}};
}

ChecklistAnswer ethics(const From&) {
  return not_in_record("The record has no statement on ethics.");
}

ChecklistAnswer impacts(const From&) {
  return not_in_record("The record has no statement on impacts.");
}

ChecklistAnswer safeguards(const From&) {
  return not_in_record("The record does not say whether data or models have a risk of misuse.");
}

ChecklistAnswer licenses(const From& from) {
  const std::string& license = from.study.spec.publication.data_license;
  if (from.study.data.empty() || license.empty())
    return not_in_record(from.study.data.empty()
                             ? "No data set is declared; licenses of programs are not recorded."
                             : "No license of the data is stated; licenses of programs are not recorded.");
  return {
      AnswerWord::yes,
      fmt::format("The study file states the license of the data: {}. Licenses of programs are not recorded.", license),
      {{"data/dataset.md", "Data"}, {"PAPER.md", "Data and code availability"}}};
}

ChecklistAnswer new_assets(const From& from) {
  if (!has_file(from, "README.md"))
    return {AnswerWord::yes,
            "The artifact documents itself by its paper and its indexes of code and evidence.",
            {{"PAPER.md", ""}, {"src/artifacts.md", "Code"}, {"evidence/README.md", "Evidence index"}}};
  return {AnswerWord::yes,
          fmt::format("The artifact documents itself, with {} for results and text.",
                      license_of(from.study.spec.publication.license)),
          {{"README.md", "Look"}, {"CITATION.cff", ""}, {"evidence/README.md", "Evidence index"}}};
}

ChecklistAnswer human_subjects(const From&) {
  return not_in_record("The record does not say whether people took part.");
}

ChecklistAnswer review_board(const From&) {
  return not_in_record("The record has no approval of a review board.");
}

ChecklistAnswer language_models(const From& from) {
  const kernel::Account all = kernel::spent(from.study);
  if (all.calls == 0)
    return {AnswerWord::not_applicable,
            "The study asked no language model. Whether one was used outside of the study is not recorded.",
            {{"report.md", "Cost and energy"}}};
  std::vector<std::string> uses;
  for (const kernel::ModelUse& use : from.study.models)
    uses.push_back(fmt::format("{} as {} ({})", use.model, use.role, prose::counted(use.calls, "call")));
  return {AnswerWord::yes,
          fmt::format("Language models answered {}: {}. What they changed and wrote is marked as theirs.",
                      prose::counted(all.calls, "call"), listed(uses)),
          {{"PAPER.md", "What agents changed"}, {"report.md", "Cost and energy"}}};
}

}  // namespace
}  // namespace neurips

const std::vector<ChecklistItem>& neurips_items() {
  static const std::vector<ChecklistItem> items = {
#define ETUDE_NEURIPS(id, title, function, text) {id, title, text, &neurips::function},
#include "artifacts/forms/neurips_items.def"
  };
  return items;
}

}  // namespace artifacts

#include "agents/thinking/briefing/briefing.h"

#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/briefing/check_briefing.h"
#include "agents/thinking/briefing/hypothesis_format.h"
#include "agents/thinking/briefing/instruments.h"
#include "kernel/domain/enum_names.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace agents {

using kernel::LinePurpose;
using kernel::LineSubject;
using kernel::Study;

namespace {

std::string family_words(const kernel::StudySpec& spec, const kernel::Hypotheses& study) {
  const std::optional<int> family = study.family > 0 ? study.family : spec.design.family;
  const auto used = static_cast<int>(study.hypotheses.size());
  if (!family) return "as large as what you propose";
  return fmt::format("{}, of which {} {} taken", prose::counted(*family, "hypothesis"), used, used == 1 ? "is" : "are");
}

/// What the study extends, and the dead ends there.
std::string extended_note(const kernel::StudyTerms& terms) {
  const kernel::Extended& extended = terms.spec.extends;
  if (extended.empty()) return "";
  std::string text = fmt::format("{}: {}\n", extended.id, extended.title);
  for (const auto& [factor, level] : extended.controls) text += fmt::format("- its control: {} = {}\n", factor, level);
  for (const kernel::ForeignDeadEnd& dead_end : extended.dead_ends)
    text += fmt::format("- its dead end {}: {}\n{}\n", dead_end.id, dead_end.title, dead_end.lesson);
  return "## The artifact that this study extends\n\nA hypothesis that repeats a contrast which it tested and did not "
         "support is refused unless it says what is different.\n\n" +
         quoted("an artifact that others made", text, 20000) + "\n";
}

const char* judgement_words(kernel::Judgement judged) {
  switch (judged) {
    case kernel::Judgement::open:
      return "not judged";
    case kernel::Judgement::met:
      return "met";
    case kernel::Judgement::unmet:
      return "not met";
  }
  return "";
}

/// The requirements on the code that a line is about, with their places in the code and their judgements. With `blind`,
/// for a reviewer, it contains no judgement.
std::string requirements_note(const Study& study, const LineSubject& subject, bool blind) {
  const kernel::CodeVersion* version = version_meant(study, subject);
  std::string list;
  for (const kernel::StudyRequirement& one : study.thinking.requirements) {
    if ((one.question && blind) || one.version != (version ? version->id : "")) continue;
    list += fmt::format("- {} ({}): {}\n", one.id, one.question ? "question" : "method", one.text);
    if (one.question) {
      list += fmt::format("  hypotheses: {}\n",
                          one.hypotheses.empty() ? "none" : fmt::format("{}", fmt::join(one.hypotheses, ", ")));
      continue;
    }
    list +=
        one.file.empty() ? "  bound to no code\n" : fmt::format("  bound to {}:{}-{}\n", one.file, one.from, one.to);
    if (blind) continue;
    if (!one.unmet.empty()) list += "  why not: " + one.unmet + "\n";
    const bool current = kernel::is_current(study, one);
    list += fmt::format("  {}{}\n", current ? judgement_words(one.judged) : "not judged for the code as it is",
                        current && !one.why.empty() ? ": " + one.why : "");
  }
  return list.empty() ? "" : "## What is required\n\n" + quoted("the requirement ledger", list, 20000) + "\n";
}

std::string notes_note(const kernel::Journal& journal) {
  constexpr std::size_t most = 40;
  const std::vector<std::string>& notes = journal.thinking.notes;
  std::string list;
  for (std::size_t i = notes.size() > most ? notes.size() - most : 0; i < notes.size(); ++i)
    list += "- " + notes[i] + "\n";
  return list.empty() ? "" : "## Notes\n\n" + quoted("notes of this study's agents", list, 20000) + "\n";
}

/// What can be searched and cited; names only what exists.
std::string literature_note(const kernel::StudyTerms& terms) {
  constexpr std::size_t most_papers = 100, most_works = 300;
  const kernel::Literature& literature = terms.spec.literature;
  std::string papers, works;
  for (std::size_t i = 0; i < std::min(literature.papers.size(), most_papers); ++i)
    papers += fmt::format("{}  {}\n", literature.papers[i].path, prose::counted(literature.papers[i].pages, "page"));
  if (literature.papers.size() > most_papers)
    papers += fmt::format("… and {} more\n", literature.papers.size() - most_papers);
  for (std::size_t i = 0; i < std::min(literature.works.size(), most_works); ++i)
    works += fmt::format("[@{}] {}{}\n", literature.works[i].key, kernel::described(literature.works[i]),
                         literature.works[i].parts.empty() ? "" : " (an imported artifact)");
  const bool artifacts =
      std::ranges::any_of(literature.works, [](const kernel::Work& work) { return !work.parts.empty(); });
  std::string note;
  if (!papers.empty()) note += "## Papers\n\n" + quoted("names of the corpus", papers, 20000) + "\n";
  if (!works.empty())
    note += "## Works that may be cited, and no others\n\n" + quoted("the study's references", works, 40000) + "\n" +
            (artifacts ? "Of an imported artifact also a claim or node by its address: [@ara:NAME/C03].\n" : "");
  return note;
}

/// Verdicts in short, by their addresses; skips hypotheses without a verdict.
std::string results_note(const kernel::Hypotheses& study) {
  std::string list;
  for (const kernel::HypothesisRecord& record : study.hypotheses)
    list += fmt::format("- {} ({}): {}\n", record.hypothesis.id,
                        record.result ? kernel::words_of(record.result->verdict) : std::string("no verdict yet"),
                        record.hypothesis.statement);
  return list.empty() ? "" : "## Hypotheses\n\n" + quoted("the kernel's record", list, 40000) + "\n";
}

std::string prompt_of(const std::string& role, const LineSubject& subject, const kernel::StudyTerms& terms) {
  if (role != "engineer") return role;
  switch (subject.purpose) {
    case LinePurpose::require:
      return "requirements";
    case LinePurpose::unmet:
      return "unmet";
    case LinePurpose::vet:
      return "vetting";
    case LinePurpose::step:
      return std::string(kernel::name(terms.code.step(subject.step)->op));
    case LinePurpose::other:
    case LinePurpose::propose:
    case LinePurpose::mend:
    case LinePurpose::review:
    case LinePurpose::analyse:
    case LinePurpose::write:
      break;
  }
  return role;
}

/// The sections of a task after the workspace, by what the work needs. A reviewer sees no results, and an engineer of a
/// step nothing of what others of its round do meanwhile.
std::string notes_for(LinePurpose purpose, const LineSubject& subject, const Study& study, const FetchText& fetch) {
  const std::string budget = budget_note(study, study, study.thinking, study);
  switch (purpose) {
    case LinePurpose::review:
      return requirements_note(study, subject, true);
    case LinePurpose::step:
      return literature_note(study) + budget + extended_note(study) + past_note(study);
    case LinePurpose::vet:
      return requirements_note(study, subject, false);
    case LinePurpose::write:
      return results_note(study) + requirements_note(study, subject, false) + literature_note(study) +
             notes_note(study) + extended_note(study) + past_note(study);
    case LinePurpose::analyse:
      return results_note(study) + instruments_note(study) + changes_note(study, fetch) +
             requirements_note(study, subject, false) + literature_note(study) + budget + notes_note(study) +
             extended_note(study) + past_note(study);
    case LinePurpose::other:
    case LinePurpose::propose:
    case LinePurpose::mend:
    case LinePurpose::require:
    case LinePurpose::unmet:
      break;
  }
  const bool reads_papers = purpose != LinePurpose::require && purpose != LinePurpose::unmet;
  return (purpose == LinePurpose::propose && study.batch.number == 1 ? "" : results_note(study)) +
         instruments_note(study) + (reads_papers ? literature_note(study) : "") + budget + notes_note(study) +
         extended_note(study) + past_note(study) + requirements_note(study, subject, false) +
         (purpose == LinePurpose::mend ? check_note(study, fetch) : "") +
         (may_change_code(purpose) ? protected_note(study) : "");
}

std::string slots_left(const kernel::Hypotheses& study) {
  const int left = study.family - static_cast<int>(study.hypotheses.size());
  return fmt::format("{} of the family {} left", prose::counted(left, "slot"), left == 1 ? "is" : "are");
}

/// True if a registered experiment has no verdict yet, so that its seeds may be hidden from texts.
bool has_sealed(const kernel::Experiments& experiments) {
  return std::ranges::any_of(experiments.experiments, [](const kernel::Experiment& e) { return !e.analysed; });
}

}  // namespace

LinePurpose purpose_of(const std::string& role, const LineSubject& subject) {
  if (subject.purpose != LinePurpose::other) return subject.purpose;
  return role == "hypothesis" ? LinePurpose::propose
         : role == "reviewer" ? LinePurpose::review
         : role == "analysis" ? LinePurpose::analyse
         : role == "writeup"  ? LinePurpose::write
                              : LinePurpose::mend;
}

bool quotes_files(LinePurpose purpose) {
  return purpose != LinePurpose::analyse && purpose != LinePurpose::write;
}

std::string rules_for(const std::string& role, const LineSubject& subject, const Study& study, Given offered) {
  if (has_sealed(study)) offered.insert("sealed");
  std::map<std::string, std::string> values = {{"common", prompt("common", {}, offered)}};
  if (subject.purpose == LinePurpose::step) values["versions"] = plain_prompt("versions", offered);
  if (role == "hypothesis") {
    values["family"] = family_words(study.spec, study);
    values["format"] = hypothesis_format(study.spec);
  }
  if (role == "analysis" && offered.contains("change_direction")) values["left"] = slots_left(study);
  if (role == "analysis" || role == "writeup") values["writing"] = plain_prompt("writing", offered);
  return prompt(prompt_of(role, subject, study), values, offered);
}

std::string task_for(const std::string& role, const LineSubject& subject, const Study& study,
                     const WorkspaceView& workspace, const FetchText& fetch) {
  const LinePurpose purpose = purpose_of(role, subject);
  const std::string files = purpose == LinePurpose::write ? "" : workspace_note(workspace, study.text);
  return prompt("task", {{"question", quoted("the person who asks", study.spec.question, 8000)},
                         {"plan", "## Its file\n\n" + quoted("the study file", study.text, 40000) + "\n"},
                         {"notes", code_notes(study, subject, fetch) + files +
                                       notes_for(purpose, subject, study, fetch) + words_of_people(study, 0)}});
}

std::string words_of_people(const kernel::Journal& journal, int from) {
  std::string words;
  for (auto i = static_cast<std::size_t>(from); i < journal.steering.size(); ++i)
    words += fmt::format("The person who runs this study says: {}\n", journal.steering[i]);
  return words;
}

}  // namespace agents

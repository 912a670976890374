#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/briefing/code_briefing.h"
#include "agents/thinking/briefing/prompts.h"
#include "kernel/domain/enum_names.h"
#include "kernel/study/ledger.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"

namespace agents {

using kernel::LinePurpose;
using kernel::LineSubject;
using kernel::Study;

namespace {

constexpr std::size_t most_names = 200, most_dead_ends = 20;

std::string family_words(const kernel::StudySpec& spec, const kernel::Hypotheses& study) {
  const std::optional<int> family = study.family > 0 ? study.family : spec.design.family;
  const auto used = static_cast<int>(study.hypotheses.size());
  if (!family) return "as large as what you propose";
  return fmt::format("{}, of which {} {} taken", prose::counted(*family, "hypothesis"), used, used == 1 ? "is" : "are");
}

std::string files_note(const std::vector<Files::Entry>& files) {
  std::string names;
  for (std::size_t i = 0; i < std::min(files.size(), most_names); ++i)
    names += fmt::format("{}  {} bytes\n", files[i].path, files[i].bytes);
  if (files.size() > most_names)
    names += fmt::format("… and {} more: `list_files` has them\n", files.size() - most_names);
  return "## Its workspace\n\n" + quoted("names of the workspace's files", names, 40000) + "\n";
}

/// What the study extends, and the dead ends there.
std::string extended_note(const kernel::StudyTerms& terms) {
  const kernel::Extended& extended = terms.spec.extends;
  if (extended.empty()) return "";
  std::string text = fmt::format("{}: {}\n", extended.id, extended.title);
  for (const auto& [factor, level] : extended.controls) text += fmt::format("- its control: {} = {}\n", factor, level);
  for (const kernel::ForeignDeadEnd& dead_end : extended.dead_ends)
    text += fmt::format("- its dead end {}: {}\n{}\n", dead_end.id, dead_end.title, dead_end.lesson);
  return "## The artifact that this study extends\n\nWhat it tried in vain is not to be tried again unless something "
         "is "
         "different: a hypothesis that repeats a contrast which it tested and did not support is refused unless "
         "`difference` says what. `recall` with `study: " +
         extended.id + "` finds what else it says.\n\n" + quoted("an artifact that others made", text, 20000) + "\n";
}

/// Earlier studies of this home, and dead ends of this study.
std::string past_note(const Study& study) {
  std::string past;
  for (const kernel::Predecessor& p : study.predecessors)
    past += fmt::format("- {} of {}: {}. {}\n", p.hypothesis, p.study, kernel::words_of(p.verdict), p.reason);
  std::size_t shown = 0;
  for (auto node = study.nodes.rbegin(); node != study.nodes.rend() && shown < most_dead_ends; ++node) {
    if (node->type != kernel::NodeType::dead_end) continue;
    const auto lesson = node->fields.find("lesson");
    past += fmt::format("- {} {}: {}\n", node->id, node->title, lesson == node->fields.end() ? "" : lesson->second);
    ++shown;
  }
  return past.empty()
             ? ""
             : "## Results and dead ends that are known already\n\n" + quoted("the record", past, 20000) + "\n";
}

/// The result of the manipulation check, and the runs that it rests on.
std::string check_note(const Study& study) {
  std::string found, runs;
  if (study.check)
    for (const kernel::CheckFinding& finding : study.check->findings)
      found += fmt::format("- {}: {}\n", finding.subject, newest_words(finding.message));
  for (const kernel::Run& run : study.runs)
    if (run.purpose == kernel::Purpose::smoke && run.number > study.batch.amended_at)
      runs += fmt::format("r{}, {}: {}{}\n", run.number, run.label, kernel::name(run.state),
                          run.reason.empty() ? "" : ", " + newest_words(run.reason));
  return "## What the manipulation check found\n\n" + quoted("the kernel's record", found, 20000) +
         "\n\n## Its smoke runs\n\n" + quoted("the kernel's record", runs, 20000) + "\n" + protected_note(study);
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
    papers += fmt::format("… and {} more: `search_papers` finds their pages\n", literature.papers.size() - most_papers);
  for (std::size_t i = 0; i < std::min(literature.works.size(), most_works); ++i)
    works += fmt::format("[@{}] {}{}\n", literature.works[i].key, kernel::described(literature.works[i]),
                         literature.works[i].parts.empty() ? "" : " (an imported artifact)");
  const bool artifacts =
      std::ranges::any_of(literature.works, [](const kernel::Work& work) { return !work.parts.empty(); });
  std::string note;
  if (!papers.empty()) note += "## Papers\n\n" + quoted("names of the corpus", papers, 20000) + "\n";
  if (!works.empty())
    note += "## Works that may be cited, and no others\n\n" + quoted("the study's references", works, 40000) + "\n" +
            (artifacts ? "Of an imported artifact also a claim or node by its address, as `recall` gives it: "
                         "[@ara:NAME/C03].\n"
                       : "");
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

/// The budget left, without time, which differs in a replay.
std::string budget_note(const kernel::Budget& limits, const kernel::Ledger& ledger) {
  const kernel::Account spent = kernel::spent(ledger);
  std::string list;
  if (limits.runs) list += fmt::format("- runs: {} of {} spent\n", spent.runs, *limits.runs);
  if (limits.tokens) list += fmt::format("- tokens: {} of {} spent\n", spent.tokens, *limits.tokens);
  if (limits.wall_s) list += fmt::format("- wall time: {:.0f} s for all of it\n", *limits.wall_s);
  return list.empty() ? "" : "## Budget\n\n" + list + "\n";
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

std::string notes_for(const std::string& role, const LineSubject& subject, const Study& study,
                      const std::vector<Files::Entry>& files) {
  const std::string people = words_of_people(study, 0);
  // Nothing of what others of the round do meanwhile.
  if (subject.purpose == LinePurpose::step) return files_note(files) + extended_note(study) + past_note(study) + people;
  if (role == "reviewer") return files_note(files) + requirements_note(study, subject, true) + people;
  const std::string common = files_note(files) + literature_note(study) + budget_note(study.spec.budget, study) +
                             notes_note(study) + extended_note(study) + past_note(study);
  if (role == "analysis" || role == "writeup")
    return results_note(study) + requirements_note(study, subject, false) + common + people;
  const bool mends = prompt_of(role, subject, study) == "engineer";
  return (role == "hypothesis" ? "" : results_note(study)) + common + requirements_note(study, subject, false) +
         (mends ? check_note(study) : "") + people;
}

std::string further_words(const kernel::Hypotheses& study) {
  const int left = study.family - static_cast<int>(study.hypotheses.size());
  if (left <= 0) return "- The family is full: what follows is for another study. Say so with `note`.";
  return fmt::format(
      "- if a verdict raises a question that decides, and only then, call `change_direction`: {} of the family {} "
      "left.",
      prose::counted(left, "slot"), left == 1 ? "is" : "are");
}

}  // namespace

std::string rules_for(const std::string& role, const LineSubject& subject, const Study& study) {
  std::map<std::string, std::string> values = {{"common", prompt("common", {})}};
  if (subject.purpose == LinePurpose::step) values["versions"] = plain_prompt("versions");
  if (role == "hypothesis") values["family"] = family_words(study.spec, study);
  if (role == "analysis") values["family"] = further_words(study);
  if (role == "analysis" || role == "writeup") values["writing"] = plain_prompt("writing");
  return prompt(prompt_of(role, subject, study), values);
}

std::string task_for(const std::string& role, const LineSubject& subject, const Study& study,
                     const std::vector<Files::Entry>& files, const std::string& more) {
  return prompt("task", {{"title", quoted("the person who asks", study.spec.title, 400)},
                         {"question", quoted("the person who asks", study.spec.question, 8000)},
                         {"plan", "## Its file\n\n" + quoted("the study file", study.text, 40000) + "\n"},
                         {"notes", more + notes_for(role, subject, study, files)}});
}

std::string words_of_people(const kernel::Journal& journal, int from) {
  std::string words;
  for (auto i = static_cast<std::size_t>(from); i < journal.steering.size(); ++i)
    words += fmt::format("The person who runs this study says: {}\n", journal.steering[i]);
  return words;
}

}  // namespace agents

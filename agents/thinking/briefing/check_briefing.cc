#include "agents/thinking/briefing/check_briefing.h"

#include <fmt/format.h>

#include "agents/thinking/briefing/prompts.h"
#include "kernel/domain/enum_names.h"
#include "kernel/runs/job.h"
#include "kernel/wording/wording.h"

namespace agents {

using kernel::Run;
using kernel::Study;

namespace {

constexpr std::size_t most_of_log = 3000, most_logs = 8, most_findings = 20000, most_change = 30000;

/// The smoke run with this label on the present code: the newest that failed, else the newest; null if there is none.
const Run* smoke_run(const Study& study, const std::string& label) {
  const Run* newest = nullptr;
  for (auto run = study.runs.rbegin(); run != study.runs.rend(); ++run) {
    if (run->purpose != kernel::Purpose::smoke || run->number <= study.batch.amended_at || run->label != label)
      continue;
    if (run->state != kernel::RunState::succeeded) return &*run;
    if (!newest) newest = &*run;
  }
  return newest;
}

std::string outcome_words(const Run& run) {
  return fmt::format("r{}, {}: {}{}", run.number, run.label, kernel::name(run.state),
                     run.reason.empty() ? "" : ", " + newest_words(run.reason));
}

/// The command and the end of what it printed: of stderr, or of stdout if that is empty.
std::string run_text(const Study& study, const Run& run, const FetchText& fetch) {
  std::string text = quoted(fmt::format("the command of r{}", run.number), command_text(study, run), 4000) + "\n";
  const bool err = run.err_log.bytes > 0;
  const kernel::BlobRef& log = err ? run.err_log : run.out_log;
  if (log.bytes > 0)
    text +=
        quoted_tail(fmt::format("{} of r{}", err ? "stderr" : "stdout", run.number), fetch(log.sha256), most_of_log) +
        "\n";
  return text;
}

std::string findings_text(const kernel::ManipulationChecked& check) {
  std::string found;
  for (const kernel::CheckFinding& finding : check.findings)
    found += fmt::format("- {}: {}\n", finding.subject, newest_words(finding.message));
  return found;
}

}  // namespace

std::string command_text(const Study& study, const Run& run) {
  std::string text;
  for (const std::string& word : study.spec.command_of(run.stage).words) text += (text.empty() ? "" : " ") + word;
  const kernel::Cell& cell = study.cells.at(static_cast<std::size_t>(run.cell));
  for (const auto& [name, value] : kernel::placeholder_values(study.spec, cell, run.seed, run.stage)) {
    const std::string place = "{" + name + "}";
    for (std::size_t at = text.find(place); at != text.npos; at = text.find(place, at + value.size()))
      text.replace(at, place.size(), value);
  }
  return text;
}

std::string check_note(const Study& study, const FetchText& fetch) {
  const std::string found = study.check ? findings_text(*study.check) : "";
  std::string note =
      "## What the manipulation check found\n\n" + quoted("the kernel's record", found, most_findings) + "\n\n";
  std::string others;
  std::set<int> shown;
  if (study.check)
    for (const kernel::CheckFinding& finding : study.check->findings) {
      const Run* run = smoke_run(study, finding.subject);
      if (!run || shown.size() >= most_logs || !shown.insert(run->number).second) continue;
      note += quoted("the kernel's record", outcome_words(*run), 2000) + "\n" + run_text(study, *run, fetch) + "\n";
    }
  for (const Run& run : study.runs)
    if (run.purpose == kernel::Purpose::smoke && run.number > study.batch.amended_at && !shown.contains(run.number))
      others += outcome_words(run) + "\n";
  return others.empty() ? note : note + "## Other smoke runs\n\n" + quoted("the kernel's record", others, 20000) + "\n";
}

std::string changes_note(const Study& study, const FetchText& fetch) {
  std::string note;
  if (study.check && !study.check->findings.empty())
    note += "## The manipulation check found\n\n" +
            quoted("the kernel's record", findings_text(*study.check), most_findings) + "\n";
  const kernel::CodeAmendment* change = study.amendment();
  if (!change) return note;
  std::string mended;
  for (const kernel::CheckFinding& finding : change->mends) mended += "- " + newest_words(finding.message) + "\n";
  note +=
      "## What an agent changed of the person's code\n\nThe verdicts rest on this change. Say what it means for "
      "them.\n\n";
  if (!mended.empty()) note += quoted("the findings that it mends", mended, 8000) + "\n";
  return change->diff.sha256.empty()
             ? note
             : note + quoted("the change of the person's code", fetch(change->diff.sha256), most_change) + "\n";
}

}  // namespace agents

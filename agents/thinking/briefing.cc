#include "agents/thinking/briefing.h"

#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/prompts.h"
#include "kernel/shapes.h"
#include "prose/numbers.h"

namespace agents {

using kernel::Study;

namespace {

constexpr std::size_t most_names = 200, most_dead_ends = 20;

std::string family_words(const Study& study) {
  const std::optional<int> family = study.family > 0 ? study.family : study.spec.design.family;
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

/// What was tried before, in this home and in this study.
std::string past_note(const Study& study) {
  std::string past;
  for (const kernel::Predecessor& p : study.predecessors)
    past += fmt::format("- {} of {}: {}. {}\n", p.hypothesis, p.study, kernel::name(p.verdict), p.reason);
  std::size_t shown = 0;
  for (auto node = study.nodes.rbegin(); node != study.nodes.rend() && shown < most_dead_ends; ++node) {
    if (node->type != kernel::NodeType::dead_end) continue;
    const auto lesson = node->fields.find("lesson");
    past += fmt::format("- {} {}: {}\n", node->id, node->title, lesson == node->fields.end() ? "" : lesson->second);
    ++shown;
  }
  return past.empty() ? ""
                      : "## What is known already, dead ends among it\n\n" + quoted("the record", past, 20000) + "\n";
}

/// What the manipulation check found, and the runs that it rests on.
std::string check_note(const Study& study) {
  std::string found, runs, frozen;
  if (study.check)
    for (const kernel::CheckFinding& finding : study.check->findings)
      found += fmt::format("- {}: {}\n", finding.subject, finding.message);
  for (const kernel::Run& run : study.runs)
    if (run.purpose == kernel::Purpose::smoke && run.number > study.batch.amended_at)
      runs += fmt::format("r{}, {}: {}{}\n", run.number, run.label, kernel::name(run.state),
                          run.reason.empty() ? "" : ", " + run.reason);
  for (const kernel::ProtectedFile& file : study.workspace.protect) frozen += file.path + "\n";
  return "## What the manipulation check found\n\n" + quoted("the kernel's record", found, 20000) +
         "\n\n## Its smoke runs\n\n" + quoted("the kernel's record", runs, 20000) + "\n" +
         (frozen.empty() ? "" : "\n## Protected\n\n" + quoted("names of files", frozen, 20000) + "\n");
}

}  // namespace

std::string rules_for(const std::string& role, const Study& study) {
  std::map<std::string, std::string> values = {{"common", prompt("common", {})}};
  if (role == "hypothesis") values["family"] = family_words(study);
  return prompt(role, values);
}

std::string task_for(const std::string& role, const Study& study, const std::vector<Files::Entry>& files) {
  return prompt("task", {{"title", quoted("the person who asks", study.spec.title, 400)},
                         {"question", quoted("the person who asks", study.spec.question, 8000)},
                         {"plan", "## Its file\n\n" + quoted("the study file", study.text, 40000) + "\n"},
                         {"notes", files_note(files) + past_note(study) +
                                       (role == "engineer" ? check_note(study) : "") + words_of_people(study, 0)}});
}

std::string words_of_people(const Study& study, int from) {
  std::string words;
  for (auto i = static_cast<std::size_t>(from); i < study.steering.size(); ++i)
    words += fmt::format("The person who runs this study says: {}\n", study.steering[i]);
  return words;
}

}  // namespace agents

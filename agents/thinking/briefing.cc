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

std::string files_note(const Files& files) {
  std::string names;
  for (std::size_t i = 0; i < std::min(files.entries.size(), most_names); ++i)
    names += fmt::format("{}  {} bytes\n", files.entries[i].path, files.entries[i].bytes);
  if (files.entries.size() > most_names)
    names += fmt::format("… and {} more: `list_files` has them\n", files.entries.size() - most_names);
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

}  // namespace

std::string rules_for(const std::string& role, const Study& study) {
  return prompt(role, {{"common", prompt("common", {})}, {"family", family_words(study)}});
}

std::string task_for(const std::string& role, const Study& study, const Files& files) {
  static_cast<void>(role);
  return prompt("task", {{"title", quoted("the person who asks", study.spec.title, 400)},
                         {"question", quoted("the person who asks", study.spec.question, 8000)},
                         {"plan", "## Its file\n\n" + quoted("the study file", study.text, 40000) + "\n"},
                         {"notes", files_note(files) + past_note(study) + words_of_people(study, 0)}});
}

std::string words_of_people(const Study& study, int from) {
  std::string words;
  for (auto i = static_cast<std::size_t>(from); i < study.steering.size(); ++i)
    words += fmt::format("The person who runs this study says: {}\n", study.steering[i]);
  return words;
}

}  // namespace agents

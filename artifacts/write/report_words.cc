// Texts of agents that nothing computed: the write-up's sections, and the requirements of the study.
#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/write/report.h"
#include "kernel/binding/citations_used.h"
#include "kernel/study/requirements.h"

namespace artifacts {

using kernel::Study;

namespace {

/// "Future work" of "future_work".
std::string title_of(std::string name) {
  for (char& c : name)
    if (c == '_') c = ' ';
  if (!name.empty()) name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return name;
}

/// As a quotation, so that it cannot be taken for the report's own words.
std::string quotation(const std::string& text) {
  std::string quoted = "> ";
  for (const char c : text) {
    quoted += c;
    if (c == '\n') quoted += "> ";
  }
  return quoted + "\n";
}

std::string judged_words(const Study& study, const kernel::StudyRequirement& one) {
  if (one.question) return kernel::answer_to(study, one);
  if (one.judged == kernel::Judgement::open) return one.file.empty() ? "not met: " + one.unmet : "not judged";
  return std::string(one.judged == kernel::Judgement::met ? "met" : "not met") +
         (one.judge == "person" ? " (a person's word): " : ": ") + one.why;
}

std::string subject_of(const kernel::StudyRequirement& one) {
  if (one.question) return "question";
  return one.version.empty() ? "method" : "code of " + one.version;
}

}  // namespace

std::string written_section(const Study& study) {
  std::string text;
  for (const std::string& name : kernel::section_names())
    for (const kernel::Section& section : study.thinking.sections)
      if (section.name == name) text += fmt::format("\n### {}\n\n{}", title_of(name), quotation(section.text));
  if (text.empty()) return "";
  return fmt::format(
             "\n## In the agent's words\n\nA language model ({}) wrote what follows. Its numbers are the record's, and "
             "where it "
             "gives a direction, a verdict shows it; what they mean is its opinion.\n",
             in_markdown(study.thinking.sections.front().by)) +
         text;
}

std::string references_section(const Study& study) {
  std::string text;
  for (const kernel::CitedWork& cited : kernel::cited_works(study)) {
    const kernel::Work& work = *cited.work;
    text += fmt::format("- **{}**: {}.", in_markdown("[@" + work.key + "]"), in_markdown(kernel::described(work)));
    if (!work.doi.empty()) text += " DOI " + in_code(work.doi) + ".";
    if (work.doi.empty() && !work.arxiv.empty()) text += " arXiv " + in_code(work.arxiv) + ".";
    if (work.doi.empty() && work.arxiv.empty() && !work.url.empty()) text += " " + in_code(work.url) + ".";
    text += "\n";
  }
  return text.empty() ? "" : "\n## References\n\n" + text;
}

std::string requirements_section(const Study& study) {
  const std::vector<kernel::StudyRequirement>& all = study.thinking.requirements;
  if (all.empty()) return "";
  PlainTable table;
  table.header = {"", "Of the", "Required", "Where", "Found"};
  for (const kernel::StudyRequirement& one : all)
    table.rows.push_back({one.id, subject_of(one), one.text,
                          one.file.empty() ? "" : fmt::format("{}:{}-{}", one.file, one.from, one.to),
                          judged_words(study, one)});
  return "\n## What the question required\n\nDrawn by agents; those of the method were confirmed by another, from the "
         "source alone, before anything was registered.\n\n" +
         markdown_table(table);
}

}  // namespace artifacts
